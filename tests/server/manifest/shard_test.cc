#include "server/manifest/shard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "server/manifest/manifest.h"

namespace trellis::shard_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

constexpr const char* kKey = "kai.scheduler/node-pool";

std::string labelled(const std::string& pool) {
  return pool.empty() ? "" : std::string(R"("labels":{")") + kKey + R"(":")" + pool + R"("},)";
}

std::string node(const std::string& name, const std::string& pool) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{)" + labelled(pool) + R"("name":")" +
         name + R"("},"status":{"allocatable":{"cpu":"4","pods":"9"}}})" + "\n";
}

std::string queue(const std::string& name, const std::string& pool) {
  return R"({"apiVersion":"scheduling.run.ai/v2","kind":"Queue","metadata":{)" + labelled(pool) +
         R"("name":")" + name + R"("},"spec":{}})" + "\n";
}

std::string group(const std::string& name, const std::string& pool) {
  return R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{)" +
         labelled(pool) + R"("namespace":"n","name":")" + name + R"("},"spec":{"minMember":1}})" +
         "\n";
}

// `more`: further members of its metadata, as `"ownerReferences":[...],`.
std::string pod(const std::string& name, const std::string& pool, const std::string& on = "",
                const std::string& more = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{)" + labelled(pool) + more +
         R"("namespace":"n","name":")" + name + R"("},"spec":{)" +
         (on.empty() ? "" : R"("nodeName":")" + on + R"(",)") +
         R"("containers":[{"name":"c","resources":{"requests":{"cpu":"1"}}}]},"status":{"phase":")" +
         (on.empty() ? "Pending" : "Running") + "\"}}\n";
}

std::string of_group(const std::string& name) {
  return R"("annotations":{"pod-group-name":")" + name + R"("},)";
}

std::string of_set(const std::string& name) {
  return R"("ownerReferences":[{"apiVersion":"example.com/v1","kind":"Set","controller":true,)"
         R"("uid":"u","name":")" +
         name + R"("}],)";
}

std::string set(const std::string& name, const std::string& pool) {
  return R"({"apiVersion":"example.com/v1","kind":"Set","metadata":{)" + labelled(pool) +
         R"("namespace":"n","name":")" + name + "\"}}\n";
}

// A PodGroup or CompositePodGroup of Kubernetes' own.
std::string own_group(const std::string& kind, const std::string& name, const std::string& pool,
                      const std::string& parent) {
  bool inner = kind == "CompositePodGroup";
  std::string text = R"({"apiVersion":"scheduling.k8s.io/v1alpha3","kind":")" + kind +
                     R"(","metadata":{)" + labelled(pool) + R"("namespace":"n","name":")" + name +
                     R"("},"spec":{"schedulingPolicy":{"gang":{")" +
                     (inner ? "minGroupCount" : "minCount") + R"(":1}})";
  if (!parent.empty()) text += R"(,"parentCompositePodGroupName":")" + parent + "\"";
  return text + "}}\n";
}

std::string own_pod(const std::string& name, const std::string& group) {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"namespace":"n","name":")" + name +
         R"("},"spec":{"schedulingGroup":{"podGroupName":")" + group +
         R"("},"containers":[{"name":"c"}]}})" + "\n";
}

class ShardTest : public testing::Test {
 protected:
  Manifest read(const std::string& text, const std::string& pool) {
    ReadOptions options;
    options.keep_raw = true;
    NamedText named{"x.jsonl", StoredText(text)};
    return read_shard_texts(std::span(&named, 1), vocabulary, options, {kKey, pool});
  }
  static std::vector<std::string> pods(const Manifest& manifest) {
    std::vector<std::string> names;
    for (const PodObject& object : manifest.objects.pods) names.push_back(object.pod.name);
    return names;
  }
  template <class Object>
  static std::vector<std::string> names(const std::vector<Object>& objects) {
    std::vector<std::string> names;
    for (const Object& object : objects) names.push_back(object.name);
    return names;
  }

  Vocabulary vocabulary;
};

TEST_F(ShardTest, GroupsOfKubernetesOwnAreInThePoolOfTheNearestGroupAroundThem) {
  std::string text = own_group("CompositePodGroup", "tree", "blue", "") +
                     own_group("CompositePodGroup", "inner", "", "tree") +
                     own_group("PodGroup", "leaf", "", "inner") +
                     own_group("PodGroup", "alone", "red", "") + own_pod("a", "leaf") +
                     own_pod("b", "alone");
  EXPECT_THAT(pods(read(text, "blue")), ElementsAre("a"));
  EXPECT_THAT(names(read(text, "blue").objects.gangs), ElementsAre("tree"));
  EXPECT_THAT(pods(read(text, "red")), ElementsAre("b"));
  EXPECT_THAT(pods(read(text, "")), IsEmpty());
}

TEST_F(ShardTest, NodesQueuesAndGangsOfTheLabelAreAll) {
  std::string text = node("a", "east") + node("b", "west") + node("c", "") + queue("q", "east") +
                     queue("r", "west") + queue("s", "") + group("g", "east") + group("h", "west") +
                     group("i", "") + pod("g0", "", "", of_group("g")) +
                     pod("h0", "", "", of_group("h")) + pod("i0", "", "", of_group("i")) +
                     pod("e", "east") + pod("w", "west") + pod("d", "");
  Manifest east = read(text, "east");
  EXPECT_THAT(names(east.objects.nodes), ElementsAre("a"));
  EXPECT_THAT(names(east.objects.queues), ElementsAre("q"));
  EXPECT_THAT(names(east.objects.gangs), UnorderedElementsAre("g", "e"));
  EXPECT_THAT(pods(east), ElementsAre("e", "g0"));
  EXPECT_THAT(east.diagnostics, IsEmpty());
  Manifest others = read(text, "");
  EXPECT_THAT(names(others.objects.nodes), ElementsAre("c"));
  EXPECT_THAT(names(others.objects.queues), ElementsAre("s"));
  EXPECT_THAT(pods(others), ElementsAre("d", "i0"));
}

TEST_F(ShardTest, TextsOfOtherShardsAreLeftOut) {
  Manifest east =
      read(node("a", "east") + node("b", "west") + pod("e", "east") + pod("w", ""), "east");
  ASSERT_EQ(east.raw.size(), 2U);
  EXPECT_EQ(east.raw[0].name, "a");
  EXPECT_EQ(east.raw[1].name, "e");
}

TEST_F(ShardTest, APodFollowsItsGroupThenItsOwnersThenItself) {
  std::string text = node("a", "east") + group("g", "east") + pod("g0", "west", "", of_group("g")) +
                     set("s", "east") + pod("s0", "west", "", of_set("s")) + set("t", "") +
                     pod("t0", "", "", of_set("t")) + pod("t1", "east", "", of_set("t")) +
                     pod("t2", "west", "", of_set("t"));
  // A gang is never split between shards.
  EXPECT_THAT(pods(read(text, "east")), ElementsAre("g0", "s0", "t0", "t1", "t2"));
  EXPECT_THAT(pods(read(text, "west")), IsEmpty());
  EXPECT_THAT(pods(read(text, "")), IsEmpty());
}

TEST_F(ShardTest, AGroupWithoutALabelFollowsItsPods) {
  Manifest east = read(group("g", "") + pod("g0", "east", "", of_group("g")), "east");
  EXPECT_THAT(names(east.objects.gangs), ElementsAre("g"));
  EXPECT_THAT(east.diagnostics, IsEmpty());
}

TEST_F(ShardTest, OthersPodsOnOurNodesAreUsedRoomAndNothingElse) {
  Manifest east = read(node("a", "east") + node("b", "west") + group("h", "west") +
                           pod("on-ours", "", "a", of_group("h")) +
                           pod("on-theirs", "", "b", of_group("h")) + pod("waits", "west"),
                       "east");
  ASSERT_THAT(pods(east), ElementsAre("on-ours"));
  EXPECT_EQ(east.objects.pods[0].pod.hold, PodHold::OtherScheduler);
  EXPECT_THAT(names(east.objects.gangs), ElementsAre("on-ours"));
  EXPECT_THAT(east.diagnostics, IsEmpty()) << "their PodGroup is none of our business";
}

TEST_F(ShardTest, AllOfTheClusterWhereNoneIsNamed) {
  Manifest all = read_manifest_text("x", node("a", "east") + node("b", ""), vocabulary);
  EXPECT_EQ(all.objects.nodes.size(), 2U);
}

TEST(Shard, IsALabelOrAKeyAlone) {
  EXPECT_EQ(parse_shard("kai.scheduler/node-pool=east")->value, "east");
  EXPECT_EQ(parse_shard("pool=")->value, "");
  EXPECT_EQ(parse_shard("pool")->key, "pool");
  EXPECT_FALSE(parse_shard(""));
  EXPECT_FALSE(parse_shard("=east"));
  EXPECT_FALSE(parse_shard("pool=a b"));
  EXPECT_FALSE(parse_shard("pool=a=b"));
}

}  // namespace
}  // namespace trellis::shard_test
