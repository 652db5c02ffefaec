#include "server/sources/object_diff.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/manifest/manifest.h"

namespace trellis::object_diff_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::string pod(const std::string& name, const std::string& cpu, const std::string& label = "a",
                const std::string& rest = "") {
  return R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":")" + name + R"(","labels":{"l":")" +
         label + R"("}},"spec":{"containers":[{"name":"c","resources":{"requests":{"cpu":")" + cpu +
         "\"}}}]" + rest + "}}\n";
}

std::string node(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"Node","metadata":{"name":")" + name +
         R"("},"status":{"allocatable":{"cpu":"4","pods":"10"}}})" + "\n";
}

std::string with_uid(std::string pod, const std::string& uid) {
  const std::string before = R"("metadata":{)";
  return pod.insert(pod.find(before) + before.size(), R"("uid":")" + uid + R"(",)");
}

struct Source {
  Vocabulary vocabulary;
  Objects last;

  ObjectDiff read(const std::string& text) {
    Manifest manifest = read_manifest_text("in.jsonl", text, vocabulary);
    ObjectDiff diff = diff_objects(last, manifest.objects, vocabulary.strings);
    last = std::move(manifest.objects);
    return diff;
  }
};

// A cluster that takes what becomes of what is read.
struct Follower {
  Cluster cluster;
  Objects last;

  void operator()(const std::string& text) {
    Vocabulary& vocabulary = cluster.vocabulary();
    Manifest manifest = read_manifest_text("in.jsonl", text, vocabulary);
    ObjectDiff diff = diff_objects(last, manifest.objects, vocabulary.strings);
    last = std::move(manifest.objects);
    keep_places(diff, cluster, vocabulary.strings);
    cluster.apply(std::move(diff.changes));
    cluster.check_invariants();
  }
};

TEST(ObjectDiff, SaysWhatCameChangedAndWent) {
  Source source;
  EXPECT_THAT(source.read(node("n1") + node("n2") + pod("p", "1")).changes.upserts.nodes,
              SizeIs(2));
  EXPECT_TRUE(source.read(node("n1") + node("n2") + pod("p", "1")).empty());
  EXPECT_TRUE(source.read(pod("p", "1") + node("n2") + node("n1")).empty());  // in another order
  ObjectDiff diff = source.read(node("n2") + node("n3") + pod("q", "1"));
  EXPECT_THAT(diff.changes.removed.nodes, ElementsAre("n1"));
  EXPECT_THAT(diff.changes.upserts.nodes, SizeIs(1));
  ASSERT_THAT(diff.changes.removed.pods, SizeIs(1));
  EXPECT_EQ(diff.changes.removed.pods[0].name, "p");
  EXPECT_EQ(diff.changes.removed.gangs[0].name, "p");
  EXPECT_THAT(diff.changes.upserts.pods, SizeIs(1));
}

TEST(ObjectDiff, APodKeepsItsPlaceUnlessItsFilesSayOtherwise) {
  Source source;
  source.read(pod("p", "1"));
  EXPECT_THAT(source.read(pod("p", "1", "b")).staying, ElementsAre(0));  // another label
  EXPECT_THAT(source.read(pod("p", "2", "b")).staying, IsEmpty());       // other demands
  EXPECT_THAT(source.read(pod("p", "2", "b", R"(,"nodeName":"n1")")).staying, IsEmpty());
}

TEST(ObjectDiff, AnotherPodOfTheSameNameKeepsNothing) {
  Source source;
  source.read(with_uid(pod("p", "1"), "u1"));
  EXPECT_THAT(source.read(with_uid(pod("p", "1", "b"), "u1")).staying, ElementsAre(0));
  ObjectDiff diff = source.read(with_uid(pod("p", "1", "b"), "u2"));
  EXPECT_THAT(diff.changes.upserts.pods, SizeIs(1));
  EXPECT_THAT(diff.staying, IsEmpty());
}

TEST(ObjectDiff, WhatIsForgottenIsAsItStands) {
  Source source;
  source.read(node("n1") + pod("p", "1") + pod("q", "1") + pod("r", "1"));
  ObjectDiff diff = source.read(node("n1") + pod("p", "1") + pod("q", "1") + pod("r", "1", "b"));
  Forgotten forgotten;
  for (const char* name : {"r", "p", "p", "gone"}) forgotten.pods.push_back({"default", name});
  ObjectDiff some = diff;
  forget(some, source.last, forgotten, source.vocabulary.strings);
  EXPECT_THAT(some.staying, IsEmpty());
  std::vector<std::string> names;
  for (const PodObject& object : some.changes.upserts.pods) names.push_back(object.pod.name);
  EXPECT_THAT(names, testing::UnorderedElementsAre("p", "r"));
  forgotten = {};
  forgotten.everything = true;
  forget(diff, source.last, forgotten, source.vocabulary.strings);
  EXPECT_THAT(diff.staying, IsEmpty());
  EXPECT_THAT(diff.changes.upserts.pods, SizeIs(3));
  EXPECT_THAT(diff.changes.upserts.gangs, SizeIs(3));
}

TEST(ObjectDiff, ThePlaceIsTheOneThatTheClusterGave) {
  Follower read;
  Cluster& cluster = read.cluster;
  read(node("n1") + pod("p", "1"));
  PodId id = cluster.find_pod("default", "p");
  cluster.set_pod(id, PodStatus::Running, cluster.find_node("n1"), 5);
  read(node("n1") + pod("p", "1", "b"));
  EXPECT_EQ(cluster.pods()[id].pod.status, PodStatus::Running);
  EXPECT_EQ(cluster.pods()[id].pod.node, "n1");
  EXPECT_EQ(cluster.pods()[id].pod.started, 5);
  read(node("n1") + pod("p", "2", "b"));
  EXPECT_EQ(cluster.pods()[id].pod.status, PodStatus::Pending);
}

TEST(ObjectDiff, AGangKeepsItsTimesUnlessItsFilesSayOtherwise) {
  auto group = [](const std::string& spec, const std::string& stale) {
    std::string annotations =
        stale.empty()
            ? ""
            : R"(,"annotations":{"kai.scheduler/stale-podgroup-timestamp":")" + stale + "\"}";
    return R"({"apiVersion":"scheduling.run.ai/v2alpha2","kind":"PodGroup","metadata":{"name":"g")" +
           annotations + R"(},"spec":{"minMember":)" + spec + "}}\n";
  };
  Follower read;
  Cluster& cluster = read.cluster;
  read(group("1", ""));
  GangId gang = cluster.find_gang("default", "g");
  cluster.set_gang_times(gang, 5, 6);
  read(group("2", ""));
  EXPECT_EQ(cluster.gangs()[gang].min_member, 2);
  EXPECT_EQ(cluster.gangs()[gang].started, 5);
  EXPECT_EQ(cluster.gangs()[gang].stale_since, 6);
  read(group("2", "1970-01-01T00:00:01Z"));
  EXPECT_EQ(cluster.gangs()[gang].stale_since, kSecondUs);
}

// What the source says again of a workload that stays admitted counts; the rest is the cluster's.
TEST(ObjectDiff, AWorkloadKeepsItsAdmissionAndTakesNews) {
  auto workload = [](const std::string& status) {
    return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w",)"
           R"("creationTimestamp":"1970-01-01T00:00:01Z"},"spec":{"queueName":"q","podSets":[)"
           R"({"name":"main","count":1,"template":{"spec":{"containers":[{"name":"c"}]}}}]},)"
           R"("status":{"admission":{"clusterQueue":"q","podSetAssignments":[)"
           R"({"name":"main","count":1}]})" +
           status + "}}\n";
  };
  Follower read;
  Cluster& cluster = read.cluster;
  read(workload(""));
  WorkloadId id = cluster.workloads().workloads().find("default/w");
  cluster.edit(id).admission->reserved_at = 5;
  cluster.edit(id).pods_ready_since = 5;
  const Workload& now = cluster.workloads()[id];
  read(workload(R"(,"requeueState":{"count":3,"requeueAt":"1970-01-01T00:00:09Z"})"));
  EXPECT_EQ(now.admission->reserved_at, 5);
  EXPECT_EQ(now.requeues, 3);
  EXPECT_EQ(now.requeue_at, 9 * kSecondUs);
  EXPECT_EQ(now.pods_ready_since, 5);
  cluster.edit(id).requeues = 4;
  std::string ready = R"(,"conditions":[{"type":"PodsReady","status":"True",)"
                      R"("lastTransitionTime":"1970-01-01T00:00:07Z"}])";
  read(workload(ready + R"(,"requeueState":{"count":3,"requeueAt":"1970-01-01T00:00:09Z"})"));
  EXPECT_EQ(now.admission->reserved_at, 5);
  EXPECT_EQ(now.pods_ready, PodsReady::Ready);
  EXPECT_EQ(now.pods_ready_since, 7 * kSecondUs);
  EXPECT_EQ(now.requeues, 4);
}

// That its admission is gone comes with its status, that it is inactive with its spec.
TEST(ObjectDiff, AWorkloadThatWasDeactivatedStaysSo) {
  auto workload = [](const std::string& spec, const std::string& status) {
    return R"({"apiVersion":"kueue.x-k8s.io/v1beta2","kind":"Workload","metadata":{"name":"w"},)"
           R"("spec":{"queueName":"q",)" +
           spec +
           R"("podSets":[{"name":"main","count":1,"template":{"spec":{"containers":[)"
           R"({"name":"c"}]}}}]},"status":{)" +
           status + "}}\n";
  };
  Follower read;
  Cluster& cluster = read.cluster;
  read(workload("", R"("admission":{"clusterQueue":"q","podSetAssignments":[)"
                    R"({"name":"main","count":1}]})"));
  WorkloadId id = cluster.workloads().workloads().find("default/w");
  cluster.edit(id).active = false;
  cluster.edit(id).admission.reset();
  const Workload& now = cluster.workloads()[id];
  read(workload("", ""));
  EXPECT_FALSE(now.active);
  EXPECT_FALSE(now.admission);
  read(workload(R"("active":false,)", ""));
  EXPECT_FALSE(now.active);
  read(workload(R"("active":true,)", ""));
  EXPECT_TRUE(now.active);
}

TEST(ObjectDiff, DisruptionBudgets) {
  std::string budget =
      R"({"apiVersion":"policy/v1","kind":"PodDisruptionBudget","metadata":{"name":"b"},)"
      R"("spec":{"minAvailable":1,"selector":{}}})"
      "\n";
  Source source;
  EXPECT_THAT(source.read(budget).changes.upserts.budgets, SizeIs(1));
  EXPECT_TRUE(source.read(budget).empty());
  ObjectDiff diff = source.read("");
  ASSERT_THAT(diff.changes.removed.budgets, SizeIs(1));
  EXPECT_EQ(diff.changes.removed.budgets[0].name, "b");
}

// A cluster that is made again from all objects knows which pods have left since a node's report.
TEST(KeepZoneLeavers, ANewClusterKeepsThemUntilTheNextReport) {
  auto report = [](const std::string& available) {
    return R"({"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology",)"
           R"("metadata":{"name":"n"},"topologyPolicies":["SingleNUMANodePodLevel"],"zones":[)"
           R"({"name":"node-0","type":"Node","resources":[{"name":"cpu","capacity":"4",)"
           R"("available":")" +
           available + "\"}]}]}\n";
  };
  std::string ends =
      R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","annotations":)"
      R"({"trellis.scheduler/numa-hint":"{\"c\":[0]}"}},"spec":{"nodeName":"n","containers":)"
      R"([{"name":"c","resources":{"limits":{"cpu":"4","memory":"1Gi"}}}]},)"
      R"("status":{"phase":"Running"}})"
      "\n";
  Follower follow;
  follow(node("n") + report("0") + ends);
  follow(node("n") + report("0"));
  for (const char* available : {"0", "4"}) {
    Vocabulary fresh;
    Objects objects = read_manifest_text("in.jsonl", node("n") + report(available), fresh).objects;
    keep_zone_leavers(objects, follow.cluster);
    EXPECT_THAT(objects.nodes.at(0).left, SizeIs(*available == '0' ? 1 : 0));
  }
}

}  // namespace
}  // namespace trellis::object_diff_test
