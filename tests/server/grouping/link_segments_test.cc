#include "server/grouping/link_segments.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_segments_test {
namespace {

using Lines = std::vector<std::string>;
using Codes = std::vector<ReasonCode>;

constexpr const char* kTopologies = R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: network}
spec: {levels: [{nodeLabel: zone}, {nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: power}
spec: {levels: [{nodeLabel: feed}, {nodeLabel: kubernetes.io/hostname}]}
)";

std::string object(const std::string& type, const std::string& name, const std::string& metadata,
                   const std::string& spec) {
  return "---\n{apiVersion: " + type.substr(0, type.find(' ')) +
         ", kind: " + type.substr(type.find(' ') + 1) + ", metadata: {name: " + name + metadata +
         "}, spec: {" + spec + "}}\n";
}

// The gang of a PodGroup with these annotations.
Reading group(const std::string& annotations, const std::string& spec = "",
              const std::string& pods = "") {
  return read(kTopologies +
              object("scheduling.run.ai/v2alpha2 PodGroup", "g",
                     ", annotations: {" + annotations + "}", spec) +
              pods);
}

std::string kai(const std::string& size, const std::string& required,
                const std::string& preferred = "") {
  std::string text;
  auto add = [&](const char* key, const std::string& value) {
    if (!value.empty()) text += std::string("kai.scheduler/") + key + ": \"" + value + "\", ";
  };
  add("segment-size", size);
  add("segment-topology-required-placement", required);
  add("segment-topology-preferred-placement", preferred);
  return text;
}

std::string layers(const std::string& json) {
  return "kueue.x-k8s.io/podset-slice-required-topology-constraints: '" + json + "'";
}

const std::string kNetwork = "kai.scheduler/topology: network, ";

std::string segments(const Reading& reading) {
  const Gang* gang = reading.gang("g");
  return reading.text(gang->topology.topology) + show(reading, gang->segments);
}

TEST(LinkSegments, ByKaisKeys) {
  Reading reading = group(kNetwork + kai("4", "rack", "kubernetes.io/hostname"));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(segments(reading), "network segments=4:rack,kubernetes.io/hostname");
  EXPECT_EQ(segments(group(kNetwork + kai("2", "", "rack"))), "network segments=2:,rack");
  EXPECT_EQ(segments(group("")), "");
}

TEST(LinkSegments, ByKueuesKeys) {
  Reading reading = group(
      "kueue.x-k8s.io/podset-required-topology: zone, kueue.x-k8s.io/podset-slice-size: \"4\", "
      "kueue.x-k8s.io/podset-slice-required-topology: rack");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(segments(reading), "network segments=4:rack,");
  EXPECT_EQ(reading.text(reading.gang("g")->topology.required), "zone");
  reading = group("kueue.x-k8s.io/podset-preferred-topology: zone");
  EXPECT_EQ(reading.text(reading.gang("g")->topology.preferred), "zone");
  EXPECT_EQ(reading.text(reading.gang("g")->topology.topology), "network");
}

TEST(LinkSegments, SeveralLayers) {
  Reading reading = group(layers(R"([{"topology":"zone","size":16},{"topology":"rack","size":4},)"
                                 R"({"topology":"kubernetes.io/hostname","size":2}])"));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(segments(reading),
            "network segments=16:zone, segments=4:rack, segments=2:kubernetes.io/hostname,");
}

TEST(LinkSegments, ATopologyIsImpliedWhereOneAloneHasTheLevel) {
  EXPECT_EQ(segments(group(kai("4", "feed"))), "power segments=4:feed,");
  Reading reading = group(kai("4", "kubernetes.io/hostname"));
  EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::TopologyNotNamed});
  EXPECT_EQ(reading.diagnostics(),
            Lines{"in.yaml:12: doc 3: "
                  "$.metadata.annotations[\"kai.scheduler/segment-topology-required-placement\"]: "
                  "found the level \"kubernetes.io/hostname\" without a topology, expected the "
                  "name of its Topology beside it"});
  // What a PodGroup's spec asks for names its topology.
  EXPECT_EQ(group("", "topologyConstraint: {requiredTopologyLevel: feed}").reasons("g"),
            Codes{ReasonCode::TopologyNotNamed});
}

TEST(LinkSegments, TheFirstWordHolds) {
  std::string owner =
      ", ownerReferences: [{apiVersion: x/v1, kind: X, name: x, controller: true}], annotations: {";
  Reading reading =
      read(kTopologies + object("v1 Pod", "p", owner + kai("8", "zone") + "}", "") +
           object("x/v1 X", "x", ", annotations: {" + kNetwork + kai("2", "") + "}", ""));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(show(reading, reading.gang("x")->segments), " segments=2:zone,");
}

TEST(LinkSegments, WhatCannotBeUnderstood) {
  auto check = [](const std::string& annotations, const std::string& key, ReasonCode code,
                  const std::string& found) {
    Reading reading = group(kNetwork + annotations);
    EXPECT_EQ(reading.reasons("g"), Codes{code}) << annotations;
    EXPECT_EQ(reading.diagnostics(),
              Lines{"in.yaml:12: doc 3: $.metadata.annotations[\"" + key + "\"]: found " + found});
    EXPECT_TRUE(reading.gang("g")->segments.empty());
  };
  const std::string size_key = "kai.scheduler/segment-size";
  const std::string level_key = "kai.scheduler/segment-topology-required-placement";
  const std::string preferred_key = "kai.scheduler/segment-topology-preferred-placement";
  const std::string layers_key = "kueue.x-k8s.io/podset-slice-required-topology-constraints";
  for (const char* size : {"0", "-4", "four", "2.5", "4 ", "3000000000"}) {
    check(kai(size, "rack"), size_key, ReasonCode::SegmentSizes,
          "\"" + std::string(size) + "\", expected a whole number of at least 1, as a string");
  }
  check(kai("", "rack"), level_key, ReasonCode::SegmentSizes,
        "the level \"rack\" of segments without a size, expected their size beside it");
  check(kai("4", "rak"), level_key, ReasonCode::LevelUnknown,
        "\"rak\", expected a level of Topology \"network\" (zone, rack, kubernetes.io/hostname); "
        "did you mean \"rack\"?");
  check(kai("4", "rack", "zone"), preferred_key, ReasonCode::LevelOrder,
        "the preferred level \"zone\", coarser than the required level \"rack\", expected the "
        "required level or a finer one");
  check(kai("4", "zone") + "kai.scheduler/topology-required-placement: rack", level_key,
        ReasonCode::LevelOrder,
        "the level \"zone\", coarser than the level \"rack\" that is required around it, expected "
        "that level or a finer one");
  check(kai("4", "rack") + layers(R"([{"topology":"rack","size":4}])"), layers_key,
        ReasonCode::SegmentSizes,
        "layers of segments beside a segment of its own, expected one or the other");
  for (const char* json :
       {"", "4", "[]", "{}", "[4]", R"([{"size":4}])", R"([{"topology":"rack"}])",
        R"([{"topology":"rack","size":"4"}])", R"([{"topology":"rack","size":0}])",
        R"([{"topology":"a","size":8},{"topology":"b","size":4},{"topology":"c","size":2},)"
        R"({"topology":"d","size":1}])"}) {
    if (*json == '\0') continue;  // an empty annotation says nothing
    Reading reading = group(kNetwork + layers(json));
    EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::SegmentSizes}) << json;
    EXPECT_EQ(reading.diagnostics().size(), 1U) << json;
  }
  check(layers(R"([{"topology":"zone","size":16},{"topology":"rack","size":5}])"), layers_key,
        ReasonCode::SegmentSizes,
        "the segment size 5, which does not divide 16, expected a divisor of the size before it");
  for (const char* second : {"rack", "zone"}) {
    check(layers(R"([{"topology":"rack","size":16},{"topology":")" + std::string(second) +
                 R"(","size":4}])"),
          layers_key, ReasonCode::SegmentSizes,
          "the segment level \"" + std::string(second) +
              "\", which is not finer than \"rack\", expected a level below the one before it");
  }
}

TEST(LinkSegments, ASizeWithoutALevelIsOnlyWorthAWord) {
  Reading reading =
      group(kNetwork + kai("4", "") + "kai.scheduler/topology-required-placement: rack");
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics().size(), 1U);
  EXPECT_EQ(segments(reading), "network");
}

TEST(LinkSegments, OfASubgroupByItsPodsElseByTheGang) {
  auto pod = [](const std::string& name, const std::string& leaf, const std::string& annotations) {
    return object("v1 Pod", name,
                  ", labels: {kai.scheduler/subgroup-name: " + leaf +
                      "}, annotations: {pod-group-name: g, " + annotations + "}",
                  "");
  };
  Reading reading = group(
      kai("4", "rack"),
      "subGroups: [{name: a, topologyConstraint: {topology: network, "
      "requiredTopologyLevel: zone}}, {name: b}, {name: c}]",
      pod("a-0", "a", "") +
          pod("b-0", "b", kai("2", "feed") + "kai.scheduler/topology-preferred-placement: feed") +
          pod("c-0", "c", ""));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  Lines all;
  for (const Subgroup& subgroup : reading.gang("g")->subgroups)
    all.push_back(show(reading, subgroup));
  EXPECT_EQ(all, (Lines{"a(-1 min=1 topology=network,zone, segments=4:rack,)",
                        "b(-1 min=1 topology=power,,feed segments=2:feed,)",
                        "c(-1 min=1 topology=network,, segments=4:rack,)"}));
  EXPECT_TRUE(reading.gang("g")->topology.empty());
  EXPECT_TRUE(reading.gang("g")->segments.empty());
  Reading wrong = group("", "subGroups: [{name: a}]", pod("a-0", "a", kai("x", "rack")));
  EXPECT_EQ(wrong.reasons("g"), Codes{ReasonCode::SegmentSizes});
  EXPECT_EQ(wrong.gang("g")->errors[0].subgroup, "a");
}

TEST(LinkSegments, GroupsOfALeaderWorkerSet) {
  auto pod = [](const std::string& name, const std::string& labels) {
    return object("v1 Pod", name,
                  ", labels: {" + labels +
                      "}, ownerReferences: [{apiVersion: leaderworkerset.x-k8s.io/v1, kind: "
                      "LeaderWorkerSet, name: lws, controller: true}]",
                  "");
  };
  std::string index = "leaderworkerset.sigs.k8s.io/";
  Reading reading =
      read(kTopologies +
           object("leaderworkerset.x-k8s.io/v1 LeaderWorkerSet", "lws",
                  ", annotations: {" + kai("", "rack") + "}", "leaderWorkerTemplate: {size: 4}") +
           pod("lws-1-2",
               index + "group-index: '1', " + index + "worker-index: '2', " + index + "size: '4'") +
           pod("lws-0", index + "group-index: '0', " + index + "worker-index: '0'"));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(show(reading, reading.gang("lws-0")->segments), " segments=4:rack,");
  EXPECT_EQ(reading.pod("lws-1-2")->pod.completion_index, 6);
  EXPECT_EQ(reading.pod("lws-0")->pod.completion_index, 0);
}

TEST(LinkSegments, RanksOfOtherControllers) {
  auto index = [](const std::string& label) {
    return read(object("v1 Pod", "p", ", labels: {" + label + "}", ""))
        .pod("p")
        ->pod.completion_index;
  };
  EXPECT_EQ(index("training.kubeflow.org/replica-index: '12'"), 12);
  EXPECT_EQ(index("apps.kubernetes.io/pod-index: '3'"), 3);
  EXPECT_EQ(index("batch.kubernetes.io/job-completion-index: '1', apps.kubernetes.io/pod-index: "
                  "'3'"),
            1);
  EXPECT_EQ(index("apps.kubernetes.io/pod-index: '-3'"), -1);
}

TEST(LinkSegments, Balanced) {
  EXPECT_TRUE(group("trellis.scheduler/topology-balance: \"true\"").gang("g")->balanced);
  EXPECT_FALSE(group("trellis.scheduler/topology-balance: \"false\"").gang("g")->balanced);
  EXPECT_FALSE(group("").gang("g")->balanced);
  Reading reading = group("trellis.scheduler/topology-balance: \"yes\"");
  EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::InvalidObject});
  EXPECT_EQ(reading.diagnostics(),
            Lines{"in.yaml:12: doc 3: "
                  "$.metadata.annotations[\"trellis.scheduler/topology-balance\"]: found \"yes\", "
                  "expected \"true\" or \"false\""});
}

}  // namespace
}  // namespace trellis::test::link_segments_test
