#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/kube/status/workload_writes.h"
#include "tests/server/kube/status/workload_world.h"

namespace trellis::owner_starts_test {
namespace {

using test::condition;
using test::kJob;
using test::kQuota;
using test::LiveWorld;
using test::node;
using test::settle;
using test::workload_name_in;

// The API server takes no other template of a Job that runs, nor of one that has a start time.
TEST(OwnerStarts, AJobThatHasRunIsSuspendedAndStartsElsewhere) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  std::string name = workload_name_in(world);
  world.edit("Job", "train", [](Json& job) {
    job["status"] = {{"startTime", "2026-11-22T10:00:00Z"}, {"active", 2}};
  });
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = false; });
  settle(world, book);
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true);

  world.edit("ResourceFlavor", "gold",
             [](Json& object) { object["spec"]["nodeLabels"]["rack"] = "a"; });
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = true; });
  settle(world, book);
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true) << "its pods are still there";
  world.edit("Job", "train", [](Json& job) { job["status"]["active"] = 0; });
  world.pass(kSecondUs);
  settle(world, book);
  Json job = world.object("Job", "train");
  EXPECT_EQ(job["spec"]["suspend"], false);
  EXPECT_FALSE(job["status"].contains("startTime"));
  EXPECT_EQ(job["spec"]["template"]["spec"]["nodeSelector"]["rack"], "a");
}

TEST(OwnerStarts, AJobThatRunsRunsOnWhateverBecomesOfItsFlavor) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  Json before = world.object("Job", "train");
  world.edit("ResourceFlavor", "gold",
             [](Json& object) { object["spec"]["nodeLabels"]["rack"] = "a"; });
  StatusBook second({});
  settle(world, second);
  EXPECT_EQ(world.object("Job", "train"), before);
  EXPECT_EQ(second.figures().refused, 0);
}

TEST(OwnerStarts, AJobThatIsSuspendedHasItsTemplateBackOnceItsPodsAreGone) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  Json before = world.object("Job", "train")["spec"]["template"];
  settle(world, book);
  world.edit("Job", "train", [](Json& job) {
    job["status"] = {{"startTime", "2026-11-22T10:00:00Z"}, {"active", 2}};
  });
  world.edit("Workload", workload_name_in(world),
             [](Json& object) { object["spec"]["active"] = false; });
  settle(world, book);
  EXPECT_NE(world.object("Job", "train")["spec"]["template"], before);
  world.edit("Job", "train", [](Json& job) { job["status"].erase("active"); });
  world.pass(kSecondUs);
  settle(world, book);
  Json spec = world.object("Job", "train")["spec"]["template"]["spec"];
  EXPECT_EQ(spec, before["spec"]);
  // What its user says from now on stands.
  world.edit("Job", "train",
             [](Json& job) { job["spec"]["template"]["spec"]["nodeSelector"]["mine"] = "x"; });
  settle(world, book);
  EXPECT_EQ(world.object("Job", "train")["spec"]["template"]["spec"]["nodeSelector"]["mine"], "x");
}

// That asks for a workload.
std::string owner(const std::string& api_version, const std::string& kind,
                  const std::string& spec) {
  return "apiVersion: " + api_version + "\nkind: " + kind +
         "\nmetadata: {name: train, namespace: default, labels: {kueue.x-k8s.io/queue-name: lq}}" +
         "\nspec: " + spec + "\n---\n";
}
constexpr const char* kPodSpec =
    "{spec: {containers: [{name: c, resources: {requests: {cpu: '2'}}}]}}";

struct OwnerCase {
  const char* kind;
  std::string yaml;
  std::vector<std::string> sets;
  std::vector<std::string> template_of_first;  // keys from the object on
  std::string suspended;                       // below spec; empty: it cannot be
};

std::vector<OwnerCase> owner_cases() {
  const std::string pod = kPodSpec;
  return {
      {"JobSet",
       owner("jobset.x-k8s.io/v1alpha2", "JobSet",
             "{suspend: true, replicatedJobs: [{name: driver, template: {spec: {template: " + pod +
                 "}}}, {name: workers, template: {spec: {template: " + pod + "}}}]}"),
       {"driver", "workers"},
       {"spec", "replicatedJobs", "0", "template", "spec", "template"},
       "suspend"},
      {"PyTorchJob",
       owner("kubeflow.org/v1", "PyTorchJob",
             "{runPolicy: {suspend: true}, pytorchReplicaSpecs: {Master: {template: " + pod +
                 "}, Worker: {replicas: 1, template: " + pod + "}}}"),
       {"master", "worker"},
       {"spec", "pytorchReplicaSpecs", "Master", "template"},
       "runPolicy/suspend"},
      {"RayCluster",
       owner("ray.io/v1", "RayCluster",
             "{suspend: true, headGroupSpec: {template: " + pod +
                 "}, workerGroupSpecs: [{groupName: small, replicas: 1, template: " + pod + "}]}"),
       {"head", "small"},
       {"spec", "headGroupSpec", "template"},
       "suspend"}};
}

Json at(Json object, const std::vector<std::string>& keys) {
  for (const std::string& key : keys) {
    Json below = object.is_array() ? object[std::stoul(key)] : object[key];
    object = std::move(below);
  }
  return object;
}

TEST(OwnerStarts, OwnersOfEveryKindGoFromTheirQueueToTheirNodes) {
  for (const OwnerCase& one : owner_cases()) {
    SCOPED_TRACE(one.kind);
    LiveWorld world;
    world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + one.yaml);
    StatusBook book({});
    settle(world, book);
    std::string name = workload_name_in(world);
    ASSERT_NE(name, "");
    Json workload = world.object("Workload", name);
    Json owner = workload["metadata"]["ownerReferences"][0];
    EXPECT_EQ(owner["kind"], one.kind);
    EXPECT_EQ(owner["uid"], "uid-train");
    EXPECT_EQ(owner["apiVersion"], world.object(one.kind, "train")["apiVersion"]);
    std::vector<std::string> sets;
    for (const Json& set : workload["spec"]["podSets"]) sets.push_back(set["name"]);
    EXPECT_EQ(sets, one.sets);
    EXPECT_EQ(condition(workload, "Admitted")["status"], "True");
    auto is_suspended = [&] {
      return world.object(one.kind, "train")["spec"].at(Json::json_pointer("/" + one.suspended));
    };
    EXPECT_EQ(is_suspended(), false);
    Json spec = at(world.object(one.kind, "train"), one.template_of_first)["spec"];
    EXPECT_EQ(spec["nodeSelector"]["pool"], "gold");
    EXPECT_EQ(spec["schedulingGates"][0]["name"], "kueue.x-k8s.io/topology");

    world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = false; });
    settle(world, book);
    EXPECT_EQ(is_suspended(), true);
    EXPECT_FALSE(at(world.object(one.kind, "train"), one.template_of_first)["spec"].contains(
        "nodeSelector"));
  }
}

TEST(OwnerStarts, EachGroupOfALeaderWorkerSetHasAWorkload) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") +
            owner("leaderworkerset.x-k8s.io/v1", "LeaderWorkerSet",
                  std::string("{replicas: 2, leaderWorkerTemplate: {size: 1, workerTemplate: ") +
                      kPodSpec + "}}"));
  Json before = world.object("LeaderWorkerSet", "train");
  StatusBook book({});
  settle(world, book);
  auto workloads = world.list("kueue.x-k8s.io", "Workload");
  ASSERT_EQ(workloads.size(), 2U);
  for (const auto& [name, text] : workloads) {
    EXPECT_EQ(condition(parse_object(text.str()), "Admitted")["status"], "True") << name;
  }
  EXPECT_EQ(world.object("LeaderWorkerSet", "train"), before) << "it knows no suspension";
}

}  // namespace
}  // namespace trellis::owner_starts_test
