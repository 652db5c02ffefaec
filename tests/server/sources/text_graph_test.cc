#include "server/sources/text_graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "server/manifest/text_decoder.h"

namespace trellis::text_graph_test {
namespace {

using testing::UnorderedElementsAre;

std::string object(const std::string& version, const std::string& kind, const std::string& name,
                   const std::string& more, const std::string& spec) {
  return R"({"apiVersion":")" + version + R"(","kind":")" + kind +
         R"(","metadata":{"namespace":"a","name":")" + name + "\"" + more + R"(},"spec":{)" + spec +
         "}}";
}

std::string owned_by(const std::string& kind, const std::string& name) {
  return R"(,"ownerReferences":[{"apiVersion":"apps/v1","kind":")" + kind + R"(","name":")" + name +
         R"(","controller":true}])";
}

std::string pod(const std::string& name, const std::string& more, const std::string& spec = "") {
  return object("v1", "Pod", name, more, spec);
}

struct World {
  TextGraph texts;
  TextDecoder decoder{std::nullopt};
  Vocabulary vocabulary;

  void add(const std::string& name, const std::string& text) {
    TextGraph::Number number = texts.add(name);
    decoder.scan(StoredText(text));
    DecodedText decoded = decoder.decode(name, number, vocabulary);
    texts.expect(number, std::move(decoded.dependencies));
    texts.settle(number, StoredText(text), 0, std::move(decoded.object));
  }

  std::vector<std::string> names(const std::vector<TextGraph::Number>& numbers) const {
    std::vector<std::string> names;
    for (TextGraph::Number number : numbers) names.emplace_back(texts[number].name.view());
    return names;
  }
  TextGraph::Part part(const std::string& name) const {
    TextGraph::Number number = *texts.find(name);
    return texts.part(std::span(&number, 1));
  }
  std::vector<std::string> reached(const std::string& name) const {
    return names(part(name).reached);
  }
  std::vector<std::string> read(const std::string& name) const { return names(part(name).texts); }
};

TEST(TextGraph, AGangIsReadTogether) {
  World world;
  std::string keys = R"(,"annotations":{"pod-group-name":"g"})";
  world.add("g", object("scheduling.run.ai/v2alpha2", "PodGroup", "g", "", ""));
  world.add("p", pod("p", keys));
  world.add("q", pod("q", keys));
  world.add("r", pod("r", ""));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("g", "p", "q"));
  EXPECT_THAT(world.reached("r"), UnorderedElementsAre("r"));
}

TEST(TextGraph, APodThatStandsAloneLooksAtItsOwners) {
  World world;
  world.add("deployment", object("apps/v1", "Deployment", "d", "", ""));
  world.add("set", object("apps/v1", "ReplicaSet", "rs", owned_by("Deployment", "d"), ""));
  world.add("p", pod("p", owned_by("ReplicaSet", "rs")));
  world.add("q", pod("q", owned_by("ReplicaSet", "rs")));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("p"));
  EXPECT_THAT(world.read("p"), UnorderedElementsAre("deployment", "p", "set"));
  EXPECT_THAT(world.reached("deployment"), UnorderedElementsAre("deployment", "p", "q", "set"));
}

TEST(TextGraph, OnePreferenceForAPlaceAmongOthersJoinsThem) {
  World world;
  world.add("p", pod("p", owned_by("ReplicaSet", "rs")));
  world.add("q", pod("q", owned_by("ReplicaSet", "rs")));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("p"));
  world.add("w", pod("w", owned_by("ReplicaSet", "rs") +
                              R"(,"annotations":{"trellis.scheduler/max-pods-per-node":"1"})"));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("p", "q", "w"));
}

TEST(TextGraph, WhatAPodOwnsMayCountWithThoseThatStandAlone) {
  World world;
  world.add("r", object("apps/v1", "ReplicaSet", "r", owned_by("Deployment", "d"), ""));
  world.add("p", pod("p", owned_by("ReplicaSet", "r")));
  world.add("driver", pod("driver", owned_by("Deployment", "d")));
  world.add("w",
            pod("w", R"(,"annotations":{"trellis.scheduler/max-pods-per-node":"1"},)"
                     R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"driver"}])"));
  EXPECT_THAT(world.reached("r"), UnorderedElementsAre("driver", "p", "r", "w"));
}

TEST(TextGraph, ANodesPodsAreReadWhereItsZonesAre) {
  World world;
  world.add("n", object("v1", "Node", "n", "", ""));
  world.add("p", pod("p", "", R"("nodeName":"n")"));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("p"));
  world.add("zones", object("topology.node.k8s.io/v1alpha2", "NodeResourceTopology", "n", "", ""));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("n", "p", "zones"));
  EXPECT_THAT(world.read("n"), UnorderedElementsAre("n", "p", "zones"));
}

TEST(TextGraph, AVolumeReachesThePodsOfItsClaim) {
  World world;
  world.add("volume", object("v1", "PersistentVolume", "v", "", ""));
  world.add("claim", object("v1", "PersistentVolumeClaim", "c", "", R"("volumeName":"v")"));
  std::string volumes = R"("volumes":[{"persistentVolumeClaim":{"claimName":"c"}}])";
  world.add("p", pod("p", "", volumes));
  world.add("q", pod("q", "", volumes));
  EXPECT_THAT(world.reached("volume"), UnorderedElementsAre("claim", "p", "q", "volume"));
  // Whether a claim is a pod's alone depends on the other pods.
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("p", "q"));
  EXPECT_THAT(world.read("p"), UnorderedElementsAre("claim", "p", "q", "volume"));
}

TEST(TextGraph, AVolumeIsReadWithTheClaimThatItNames) {
  World world;
  world.add("claim", object("v1", "PersistentVolumeClaim", "c", "", ""));
  world.add("volume", object("v1", "PersistentVolume", "v", "",
                             R"("claimRef":{"namespace":"a","name":"c"})"));
  EXPECT_THAT(world.reached("claim"), UnorderedElementsAre("claim", "volume"));
}

TEST(TextGraph, ANodeIsReadWithItsDriversAndAttachments) {
  World world;
  world.add("n", object("v1", "Node", "n", "", ""));
  world.add("drivers", object("storage.k8s.io/v1", "CSINode", "n", "", ""));
  world.add("volume", object("v1", "PersistentVolume", "v", "", ""));
  world.add("attached", object("storage.k8s.io/v1", "VolumeAttachment", "at", "",
                               R"("nodeName":"n","source":{"persistentVolumeName":"v"})"));
  EXPECT_THAT(world.reached("attached"), UnorderedElementsAre("attached", "drivers", "n"));
  EXPECT_THAT(world.read("n"), UnorderedElementsAre("attached", "drivers", "n", "volume"));
}

TEST(TextGraph, AnEphemeralVolumeReachesItsPod) {
  World world;
  world.add("claim", object("v1", "PersistentVolumeClaim", "p-s", "", ""));
  world.add("p", pod("p", "", R"("volumes":[{"name":"s","ephemeral":{}}])"));
  EXPECT_THAT(world.reached("claim"), UnorderedElementsAre("claim", "p"));
}

TEST(TextGraph, GroupsOfKubernetesOwnAreReadTogether) {
  World world;
  world.add("g", object("scheduling.k8s.io/v1alpha2", "PodGroup", "g", "", ""));
  world.add("w", object("scheduling.k8s.io/v1alpha1", "Workload", "w", "", ""));
  world.add("p", pod("p", "", R"("schedulingGroup":{"podGroupName":"g"})"));
  world.add("q", pod("q", "", R"("workloadRef":{"name":"w","podGroup":"main"})"));
  EXPECT_THAT(world.reached("g"), UnorderedElementsAre("g", "p"));
  EXPECT_THAT(world.reached("q"), UnorderedElementsAre("q", "w"));
}

TEST(TextGraph, AGroupOfGroupsIsReadTogether) {
  World world;
  std::string below = R"("parentCompositePodGroupName":")";
  auto composite = [&](const char* name, const char* spec) {
    world.add(name, object("scheduling.k8s.io/v1alpha3", "CompositePodGroup", name, "", spec));
  };
  composite("root", "");
  composite("inner", R"("parentCompositePodGroupName":"root")");
  world.add("a", object("scheduling.k8s.io/v1beta1", "PodGroup", "a", "", below + R"(root")"));
  world.add("b", object("scheduling.k8s.io/v1beta1", "PodGroup", "b", "", below + R"(inner")"));
  world.add("c", object("scheduling.k8s.io/v1beta1", "PodGroup", "c", "", ""));
  world.add("p", pod("p", "", R"("schedulingGroup":{"podGroupName":"a"})"));
  world.add("q", pod("q", "", R"("schedulingGroup":{"podGroupName":"b"})"));
  EXPECT_THAT(world.reached("p"), UnorderedElementsAre("a", "b", "inner", "p", "q", "root"));
  EXPECT_THAT(world.reached("c"), UnorderedElementsAre("c"));
}

TEST(TextGraph, APodGroupIsReadWithTheGangThatItWasMadeFor) {
  World world;
  std::string made =
      owned_by("StatefulSet", "s") + R"(,"annotations":{"trellis.scheduler/made-for":"s"})";
  world.add("set", object("apps/v1", "StatefulSet", "s", "", ""));
  world.add("g", object("scheduling.run.ai/v2alpha2", "PodGroup", "statefulset.s", made, ""));
  world.add("p", pod("p", owned_by("StatefulSet", "s")));
  EXPECT_THAT(world.reached("g"), UnorderedElementsAre("g", "p", "set"));
}

// Of the owners only the controller counts.
TEST(TextGraph, AnOwnerThatIsNotLookedUpIsNoDependency) {
  World world;
  world.add("set", object("apps/v1", "StatefulSet", "s", "", ""));
  world.add("claim", object("v1", "PersistentVolumeClaim", "c", owned_by("StatefulSet", "s"), ""));
  EXPECT_THAT(world.reached("set"), UnorderedElementsAre("set"));
  EXPECT_THAT(world.reached("claim"), UnorderedElementsAre("claim"));
}

// An object that no decoder accepts uses no names.
TEST(TextGraph, AnObjectOfAnUnknownVersionStandsAlone) {
  World world;
  world.add("g", object("scheduling.run.ai/v9", "PodGroup", "g", "", ""));
  world.add("p", pod("p", R"(,"annotations":{"pod-group-name":"g"})"));
  EXPECT_THAT(world.reached("g"), UnorderedElementsAre("g"));
}

TEST(TextGraph, WhatReachesFarIsInEveryPart) {
  World world;
  world.add("queue", object("scheduling.run.ai/v2", "Queue", "q", "", ""));
  world.add("p", pod("p", ""));
  EXPECT_THAT(world.read("p"), UnorderedElementsAre("p", "queue"));
  world.texts.expect(*world.texts.find("queue"), {});
  world.texts.settle(*world.texts.find("queue"), {}, 0, nullptr);
  EXPECT_THAT(world.read("p"), UnorderedElementsAre("p"));
  EXPECT_EQ(world.texts.size(), 1U);
}

}  // namespace
}  // namespace trellis::text_graph_test
