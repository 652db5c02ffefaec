#include "server/kube/status/owner_pod_groups.h"

#include <gtest/gtest.h>

#include "server/document/json_objects.h"
#include "server/objects/decode_meta.h"
#include "server/sources/object_diff.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::owner_pod_groups_test {
namespace {

constexpr const char* kTraining = R"(
{apiVersion: kubeflow.org/v1, kind: PyTorchJob, metadata: {name: train, uid: u1}, spec: {
  pytorchReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 2}}}}
---
{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: net}, spec: {levels: [
  {nodeLabel: rack}]}}
)";

std::string pod(const std::string& name, const std::string& labels, const std::string& owner,
                const std::string& rest = "") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + labels +
         "}, ownerReferences: [{" + owner + "}]" + rest + "}, spec: {}}\n";
}

std::string worker(const std::string& role) {
  return pod("train-" + role, "training.kubeflow.org/replica-type: " + role,
             "apiVersion: kubeflow.org/v1, kind: PyTorchJob, name: train, uid: u1, controller: "
             "true",
             ", annotations: {kai.scheduler/topology-required-placement: rack}");
}

std::vector<ApiRequest> requests(const std::string& text) {
  ReadOptions options;
  options.keep_raw = true;
  Cluster cluster;
  Manifest manifest = read_manifest_text("in.yaml", text, cluster.vocabulary(), options);
  std::vector<RawObject> raw = std::move(manifest.raw);
  ObjectDiff diff = diff_objects({}, manifest.objects, cluster.vocabulary().strings);
  cluster.apply(std::move(diff.changes));
  auto find = [&](std::string_view group, std::string_view kind, std::string_view name_space,
                  std::string_view name) -> std::string {
    for (const RawObject& object : raw) {
      bool same = object.kind == kind && object.name_space == name_space && object.name == name;
      if (!same) continue;
      std::string version = text_at(parse_object(object.json), "apiVersion");
      if (api_group(version) == group) return object.json;
    }
    return "";
  };
  return owner_pod_group_requests(cluster, find);
}

TEST(OwnerPodGroups, AGangOfAnOwnerHasOneOfItsName) {
  std::vector<ApiRequest> made = requests(kTraining + worker("master") + worker("worker"));
  ASSERT_EQ(made.size(), 1);
  EXPECT_EQ(made[0].method, "POST");
  EXPECT_EQ(made[0].target, "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups");
  Json object = parse_object(made[0].body);
  EXPECT_EQ(text_at(object["metadata"], "name"), "train");
  EXPECT_EQ(text_at(object["metadata"]["annotations"], "trellis.scheduler/made-for"), "train");
  EXPECT_EQ(object["metadata"]["ownerReferences"].dump(),
            R"([{"apiVersion":"kubeflow.org/v1","kind":"PyTorchJob","name":"train","uid":"u1"}])");
  EXPECT_EQ(object["spec"]["minMember"], 3);
  EXPECT_EQ(object["spec"]["subGroups"].dump(),
            R"([{"name":"Master","minMember":1},{"name":"Worker","minMember":2}])");
}

// The gang stays what it was, though its pods do not name the PodGroup; and nothing more is
// written.
TEST(OwnerPodGroups, ReadBackItChangesNothing) {
  std::string text = kTraining + worker("master") + worker("worker");
  std::string after = text + "---\n" + requests(text).at(0).body + "\n";
  Reading before = read(text);
  Reading again = read(after);
  EXPECT_EQ(again.diagnostics(), before.diagnostics());
  EXPECT_EQ(dump(again), dump(before));
  EXPECT_EQ(again.gang("train")->uid, "u1");
  EXPECT_TRUE(requests(after).empty());
}

// What the owner says goes before the copy, which is rewritten.
TEST(OwnerPodGroups, FollowsItsOwner) {
  std::string text = kTraining + worker("master") + worker("worker");
  std::string copy = "---\n" + requests(text).at(0).body + "\n";
  text.replace(text.find("replicas: 2"), 11, "replicas: 5");
  EXPECT_EQ(read(text + copy).gang("train")->min_member, 6);
  std::vector<ApiRequest> made = requests(text + copy);
  ASSERT_EQ(made.size(), 1);
  EXPECT_EQ(made[0].method, "PATCH");
  EXPECT_EQ(made[0].content_type, kMergePatch);
  EXPECT_EQ(made[0].target, "/apis/scheduling.run.ai/v2alpha2/namespaces/default/podgroups/train");
  EXPECT_EQ(made[0].body, R"({"spec":{"minMember":6,"subGroups":[{"name":"Master","minMember":1},)"
                          R"({"name":"Worker","minMember":5}]}})");
}

TEST(OwnerPodGroups, AGroupOfALeaderWorkerSet) {
  std::string owner =
      "apiVersion: leaderworkerset.x-k8s.io/v1, kind: LeaderWorkerSet, name: lws, uid: u2";
  std::string labels =
      "leaderworkerset.sigs.k8s.io/group-index: '1', "
      "leaderworkerset.sigs.k8s.io/worker-index: '0'";
  std::string text = pod("lws-1", labels, owner);
  std::vector<ApiRequest> made = requests(text);
  ASSERT_EQ(made.size(), 1);
  Json object = parse_object(made[0].body);
  EXPECT_EQ(text_at(object["metadata"], "name"), "lws-1");
  EXPECT_EQ(text_at(object["metadata"]["ownerReferences"][0], "name"), "lws");
  std::string after = text + "---\n" + made[0].body + "\n";
  EXPECT_EQ(dump(read(after)), dump(read(text)));
  EXPECT_TRUE(requests(after).empty());
}

TEST(OwnerPodGroups, NotOfThoseThatHaveOneOrNeedNone) {
  std::string owner = "apiVersion: batch/v1, kind: Job, name: j, uid: u";
  EXPECT_EQ(requests(pod("p", "", owner)).size(), 1);
  EXPECT_TRUE(
      requests("---\n{apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {}}\n").empty());
  EXPECT_TRUE(
      requests(pod("p", "", "apiVersion: apps/v1, kind: ReplicaSet, name: r, uid: u")).empty());
  EXPECT_TRUE(requests(pod("p", "", "apiVersion: batch/v1, kind: Job, name: j")).empty());
  EXPECT_TRUE(requests(pod("p", "pod-group-name: j", owner)).empty());
  EXPECT_TRUE(requests(pod("p", "", owner) +
                       "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: "
                       "{name: j}, spec: {minMember: 1}}\n")
                  .empty());
}

}  // namespace
}  // namespace trellis::test::owner_pod_groups_test
