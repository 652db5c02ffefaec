#include "server/grouping/owner_gangs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "server/objects/kinds.h"
#include "server/objects/owner_kinds.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::owner_gangs_test {
namespace {

using Lines = std::vector<std::string>;

std::string object(const std::string& kind, const std::string& name, const std::string& spec,
                   const std::string& metadata = "") {
  return "---\n{apiVersion: " + kind.substr(0, kind.find(' ')) +
         ", kind: " + kind.substr(kind.find(' ') + 1) + ", metadata: {name: " + name + metadata +
         "}, spec: {" + spec + "}}\n";
}

std::string owned(const std::string& kind, const std::string& name) {
  return ", ownerReferences: [{apiVersion: " + kind.substr(0, kind.find(' ')) +
         ", kind: " + kind.substr(kind.find(' ') + 1) + ", name: " + name + ", controller: true}]";
}

constexpr const char* kTorch = "kubeflow.org/v1 PyTorchJob";

std::string torch(const std::string& more) {
  return object(kTorch, "t",
                "pytorchReplicaSpecs: {Master: {replicas: 1}, Worker: {replicas: 4}}" + more);
}

std::string worker(const std::string& role, int index, const std::string& rest = "") {
  std::string name = "t-" + role + "-" + std::to_string(index);
  std::string labels = role.empty() ? "" : "training.kubeflow.org/replica-type: " + role;
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name + ", labels: {" + labels +
         "}" + owned(kTorch, "t") + "}, spec: {}" + rest + "}\n";
}

Lines subgroups(const Reading& reading, const std::string& gang) {
  Lines lines;
  for (const Subgroup& subgroup : reading.gang(gang)->subgroups) {
    lines.push_back(show(reading, subgroup));
  }
  return lines;
}

int32_t least(const Reading& reading, const std::string& gang) {
  return reading.gang(gang)->min_member;
}

TEST(OwnerGangs, RolesAreSubgroups) {
  Reading reading = read(torch("") + worker("master", 0) + worker("worker", 0));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(least(reading, "t"), 5);
  EXPECT_EQ(subgroups(reading, "t"), (Lines{"Master(-1 min=1)", "Worker(-1 min=4)"}));
  EXPECT_EQ(reading.text(reading.pod("t-master-0")->pod.subgroup), "Master");
  EXPECT_EQ(reading.text(reading.pod("t-worker-0")->pod.subgroup), "Worker");
}

TEST(OwnerGangs, EarlyRolesHaveTheirsOfWhatIsEnough) {
  std::string pods = worker("master", 0) + worker("worker", 0);
  Reading reading = read(torch(", elasticPolicy: {minReplicas: 3}") + pods);
  EXPECT_EQ(least(reading, "t"), 3);
  EXPECT_EQ(subgroups(reading, "t"), (Lines{"Master(-1 min=1)", "Worker(-1 min=2)"}));
  reading = read(torch(", elasticPolicy: {minReplicas: 3}, runPolicy: {schedulingPolicy: "
                       "{minAvailable: 1}}") +
                 pods);
  EXPECT_EQ(least(reading, "t"), 1);
  EXPECT_EQ(subgroups(reading, "t"), (Lines{"Master(-1 min=1)", "Worker(-1 min=0)"}));
}

// A pod that no role is known of would belong to no subgroup.
TEST(OwnerGangs, AStrangerAmongThePodsLeavesOneGroup) {
  Reading reading = read(torch("") + worker("master", 0) + worker("helper", 0));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(least(reading, "t"), 5);
  EXPECT_EQ(subgroups(reading, "t"), Lines{});
  reading =
      read(torch("") + worker("master", 0) + worker("helper", 0, ", status: {phase: Succeeded}"));
  EXPECT_EQ(subgroups(reading, "t").size(), 2);
}

TEST(OwnerGangs, OneRoleIsNoSubgroup) {
  Reading reading = read(object(kTorch, "t", "pytorchReplicaSpecs: {Worker: {replicas: 2}}") +
                         worker("worker", 0));
  EXPECT_EQ(least(reading, "t"), 2);
  EXPECT_EQ(subgroups(reading, "t"), Lines{});
}

// What a PodGroup says stands.
TEST(OwnerGangs, NotOfPodsThatNameAPodGroup) {
  Reading reading =
      read(torch("") + object("scheduling.run.ai/v2alpha2 PodGroup", "g", "minMember: 2") +
           object("v1 Pod", "p", "",
                  ", labels: {pod-group-name: g, training.kubeflow.org/replica-type: worker}" +
                      owned(kTorch, "t")));
  EXPECT_EQ(least(reading, "g"), 2);
  EXPECT_EQ(subgroups(reading, "g"), Lines{});
}

TEST(OwnerGangs, SegmentsRunAcrossLeaderAndWorkers) {
  auto group = [](const std::string& annotations) {
    std::string kind = "leaderworkerset.x-k8s.io/v1 LeaderWorkerSet";
    std::string text = object(kind, "l",
                              "replicas: 1, leaderWorkerTemplate: {size: 4, leaderTemplate: {}, "
                              "workerTemplate: {}}",
                              ", annotations: {" + annotations + "}");
    for (int i = 0; i < 4; ++i) {
      std::string index = std::to_string(i);
      text += object("v1 Pod", "l-0-" + index, "",
                     ", labels: {leaderworkerset.sigs.k8s.io/group-index: '0', "
                     "leaderworkerset.sigs.k8s.io/worker-index: '" +
                         index + "'}" + owned(kind, "l"));
    }
    return read(
        "{apiVersion: kai.scheduler/v1alpha1, kind: Topology, metadata: {name: net}, spec: "
        "{levels: [{nodeLabel: rack}]}}\n" +
        text);
  };
  Reading plain = group("");
  EXPECT_EQ(subgroups(plain, "l-0"), (Lines{"leader(-1 min=1)", "workers(-1 min=3)"}));
  EXPECT_EQ(least(plain, "l-0"), 4);
  Reading segments = group(
      "kai.scheduler/segment-size: '2', "
      "kai.scheduler/segment-topology-required-placement: rack");
  EXPECT_EQ(segments.diagnostics(), Lines{});
  EXPECT_EQ(subgroups(segments, "l-0"), Lines{});
  EXPECT_EQ(show(segments, segments.gang("l-0")->segments), " segments=2:rack,");
}

TEST(OwnerGangs, TheNearestKindThatDividesDoesSo) {
  std::string ray = "ray.io/v1 RayCluster";
  std::string above = "example.com/v1 Pipeline";
  Reading reading = read(object(ray, "c", "", owned("ray.io/v1 RayJob", "j")) +
                         object("ray.io/v1 RayJob", "j", "", owned(above, "flow")) +
                         object(above, "flow", "") + object("v1 Pod", "p", "", owned(ray, "c")) +
                         object("v1 Pod", "q", "", owned("apps/v1 ReplicaSet", "r")) +
                         object("apps/v1 ReplicaSet", "r", "", owned(above, "flow")));
  EXPECT_EQ(reading.gang_of("p"), "default/c");
  EXPECT_EQ(reading.gang_of("q"), "default/q");
}

// A live cluster shows only objects of kinds that are watched.
TEST(OwnerKinds, AreWatched) {
  for (const OwnerKind& owner : owner_kinds()) {
    // Their name says all.
    if (owner.kind == "ReplicationController" || owner.kind == "Notebook") continue;
    if (owner.group == "serving.knative.dev") continue;
    EXPECT_NE(find_kind(owner.group, owner.kind), nullptr) << owner.kind;
  }
}

TEST(OwnerKinds, AreInTheDocumentation) {
  std::filesystem::path root = TRELLIS_SOURCE_DIR;
  std::ifstream file(root / "docs/owners.md");
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  for (const OwnerKind& owner : owner_kinds()) {
    std::string kind(owner.kind);
    EXPECT_NE(text.find("`" + kind + "`"), std::string::npos) << kind;
    for (std::string_view label : owner.role_labels) {
      EXPECT_NE(text.find(label), std::string::npos) << kind << " " << label;
    }
  }
}

}  // namespace
}  // namespace trellis::test::owner_gangs_test
