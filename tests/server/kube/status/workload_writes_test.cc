#include "server/kube/status/workload_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "server/document/timestamp.h"
#include "tests/server/kube/status/workload_world.h"

namespace trellis::workload_writes_test {
namespace {

using test::condition;
using test::kJob;
using test::kQuota;
using test::LiveWorld;
using test::node;
using test::pod_of_job;
using test::settle;
using test::workload_name_in;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kWorkloads = "/apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads/";

TEST(WorkloadWrites, AJobGoesFromItsQueueToItsNodes) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "b") + node("n3", "b") + kJob);
  StatusBook book({});
  std::vector<std::string> written = settle(world, book);
  std::string name = workload_name_in(world);
  ASSERT_NE(name, "") << "the Workload was made";
  EXPECT_EQ(written.front(), "POST /apis/kueue.x-k8s.io/v1beta2/namespaces/default/workloads");
  Json workload = world.object("Workload", name);
  EXPECT_EQ(workload["metadata"]["ownerReferences"][0]["uid"], "uid-train");
  EXPECT_EQ(condition(workload, "QuotaReserved")["status"], "True");
  EXPECT_EQ(condition(workload, "Admitted")["status"], "True");
  EXPECT_EQ(workload["status"]["admission"]["clusterQueue"], "cq");
  Json job = world.object("Job", "train");
  EXPECT_EQ(job["spec"]["suspend"], false);
  Json spec = job["spec"]["template"]["spec"];
  EXPECT_EQ(spec["nodeSelector"]["pool"], "gold");
  EXPECT_EQ(spec["schedulingGates"][0]["name"], "kueue.x-k8s.io/topology");

  world.put(pod_of_job("t-0", job) + "\n---\n" + pod_of_job("t-1", job));
  written = settle(world, book);
  EXPECT_THAT(written, Contains("PATCH /api/v1/namespaces/default/pods/t-0"));
  for (const char* pod : {"t-0", "t-1"}) {
    Json object = world.object("Pod", pod);
    EXPECT_FALSE(object["spec"].contains("schedulingGates")) << pod;
    EXPECT_EQ(object["spec"]["nodeSelector"]["pool"], "gold");
  }
  auto host = [&](const char* pod) {
    return text_at(world.object("Pod", pod)["spec"]["nodeSelector"], "kubernetes.io/hostname");
  };
  EXPECT_THAT((std::vector<std::string>{host("t-0"), host("t-1")}),
              testing::UnorderedElementsAre("n2", "n3"));
}

TEST(WorkloadWrites, AJobThatEndsGivesItsQuotaBack) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  std::string name = workload_name_in(world);
  std::string next = kJob;
  next.replace(next.find("train"), 5, "later");
  world.put(next);
  settle(world, book);
  EXPECT_EQ(world.object("Job", "later")["spec"]["suspend"], true) << "there is quota for one";

  Json job = world.object("Job", "train");
  job["status"]["conditions"] = {{{"type", "Complete"}, {"status", "True"}}};
  world.put(one_line(job));
  settle(world, book);
  Json end = condition(world.object("Workload", name), "Finished");
  EXPECT_EQ(end["status"], "True");
  EXPECT_EQ(end["reason"], "Succeeded");
  EXPECT_EQ(world.object("Job", "later")["spec"]["suspend"], false);
}

// A pod of the Job that runs and is ready.
std::string ready_pod(const std::string& name, const Json& job, const std::string& on) {
  Json pod = parse_object(pod_of_job(name, job));
  pod["spec"].erase("schedulingGates");
  pod["spec"]["nodeName"] = on;
  pod["status"] = {
      {"phase", "Running"},
      {"conditions",
       {{{"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", "2026-11-22T10:00:00Z"}}}}};
  return one_line(pod);
}

TEST(WorkloadWrites, OneWhosePodsAreReadySaysSo) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  auto put_ready = [&](const std::string& name, const std::string& on) {
    world.put(ready_pod(name, job, on));
  };
  put_ready("t-0", "n1");
  settle(world, book);
  std::string name = workload_name_in(world);
  EXPECT_TRUE(condition(world.object("Workload", name), "PodsReady").is_null()) << "one of two";
  put_ready("t-9", "n2");
  world.edit("Pod", "t-9",
             [](Json& pod) { pod["metadata"]["deletionTimestamp"] = "2026-11-22T10:00:00Z"; });
  settle(world, book);
  EXPECT_TRUE(condition(world.object("Workload", name), "PodsReady").is_null()) << "one leaves";
  world.remove("Pod", "t-9");
  put_ready("t-1", "n2");
  settle(world, book);
  Json ready = condition(world.object("Workload", name), "PodsReady");
  EXPECT_EQ(ready["status"], "True");
  EXPECT_EQ(ready["lastTransitionTime"], "2026-11-22T10:00:00Z");
}

TEST(WorkloadWrites, OneWhosePodsAreReadyNoMoreWaitsForTheirRecovery) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  world.put(ready_pod("t-0", job, "n1") + "\n---\n" + ready_pod("t-1", job, "n2"));
  settle(world, book);
  std::string name = workload_name_in(world);
  ASSERT_EQ(condition(world.object("Workload", name), "PodsReady")["reason"], "Started");

  world.pass(60 * kSecondUs);
  TimeUs before = world.now();
  world.edit("Pod", "t-1", [](Json& pod) { pod["status"]["conditions"][0]["status"] = "False"; });
  settle(world, book);
  Json ready = condition(world.object("Workload", name), "PodsReady");
  EXPECT_EQ(ready["status"], "False");
  EXPECT_EQ(ready["reason"], "WaitForRecovery");
  EXPECT_EQ(ready["message"], "At least one pod has failed, waiting for recovery");
  EXPECT_EQ(ready["lastTransitionTime"], format_timestamp(before + kSecondUs));
  StatusBook second({});
  EXPECT_THAT(settle(world, second), IsEmpty()) << "it stands already";

  // Another pod takes its place.
  world.remove("Pod", "t-1");
  settle(world, book);
  EXPECT_EQ(condition(world.object("Workload", name), "PodsReady")["status"], "False");
  world.put(ready_pod("t-2", job, "n2"));
  settle(world, book);
  ready = condition(world.object("Workload", name), "PodsReady");
  EXPECT_EQ(ready["status"], "True");
  EXPECT_EQ(ready["reason"], "Recovered");

  // As when its Job is deleted: nothing is left to judge by.
  world.remove("Pod", "t-0");
  world.remove("Pod", "t-2");
  EXPECT_THAT(settle(world, book), IsEmpty());
}

TEST(WorkloadWrites, PodsThatDoNotSayWhetherTheyAreReadyTakeNothingBack) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  world.put(ready_pod("t-0", job, "n1") + "\n---\n" + ready_pod("t-1", job, "n2"));
  settle(world, book);
  world.edit("Pod", "t-1", [](Json& pod) { pod["status"].erase("conditions"); });
  EXPECT_THAT(settle(world, book), IsEmpty());
}

TEST(WorkloadWrites, PodsThatAreDoneLeaveItReady) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  world.put(ready_pod("t-0", job, "n1") + "\n---\n" + ready_pod("t-1", job, "n2"));
  settle(world, book);
  std::string name = workload_name_in(world);
  world.edit("Pod", "t-1", [](Json& pod) { pod["status"] = {{"phase", "Succeeded"}}; });
  EXPECT_THAT(settle(world, book), IsEmpty());
  world.edit("Workload", name, [](Json& object) {
    object["status"]["reclaimablePods"] = {{{"name", "main"}, {"count", 1}}};
  });
  world.remove("Pod", "t-1");
  EXPECT_THAT(settle(world, book), IsEmpty());
  EXPECT_EQ(condition(world.object("Workload", name), "PodsReady")["status"], "True");
}

TEST(WorkloadWrites, AJobThatFailsHasFinished) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "b") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  job["status"]["conditions"] = {{{"type", "Failed"}, {"status", "True"}}};
  world.put(one_line(job));
  settle(world, book);
  Json end = condition(world.object("Workload", workload_name_in(world)), "Finished");
  EXPECT_EQ(end["reason"], "Failed");
}

TEST(WorkloadWrites, NothingStartsBeforeItsWorkloadSaysThatItIsAdmitted) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  auto no_workloads = [](const ApiRequest& request) {
    return request.target.find("/workloads") == std::string::npos ? 0 : 503;
  };
  for (int i = 0; i < 10; ++i) {
    world.cycle();
    world.write(book, no_workloads);
  }
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true);
  world.pass(WriteQueue::kMostBackoffUs);
  settle(world, book);
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], false);
}

TEST(WorkloadWrites, OneThatWaitsSaysWhy) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  Json workload = world.object("Workload", workload_name_in(world));
  EXPECT_EQ(condition(workload, "QuotaReserved")["status"], "False");
  EXPECT_EQ(condition(workload, "QuotaReserved")["reason"], "TopologyPlacementFailed");
  EXPECT_FALSE(workload["status"].contains("admission"));
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true);
  StatusBook second({});
  EXPECT_THAT(settle(world, second), IsEmpty()) << "it stands already";
}

TEST(WorkloadWrites, ASecondBookFindsAnAdmissionAsItStands) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  world.put(pod_of_job("t-0", world.object("Job", "train")));
  settle(world, book);
  StatusBook second({});
  EXPECT_THAT(settle(world, second), IsEmpty());
}

// The one that was let go, and is not seen so yet, holds its node: the other stays until then.
TEST(WorkloadWrites, PodsOnTheirWayHoldTheirDomains) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  Json job = world.object("Job", "train");
  world.put(pod_of_job("t-1", job));
  // Taken by the server, and never seen by us.
  auto unseen = [](const ApiRequest& request) {
    return request.target.ends_with("/pods/t-1") ? 200 : 0;
  };
  std::vector<std::string> written;
  for (int i = 0; i < 3; ++i) {
    world.cycle();
    for (std::string& line : world.write(book, unseen)) written.push_back(std::move(line));
  }
  ASSERT_THAT(written, Contains("PATCH /api/v1/namespaces/default/pods/t-1"));
  // Another comes before it by its name, and the cycle would give it the first node now.
  world.put(pod_of_job("t-0", job));
  written.clear();
  for (int i = 0; i < 3; ++i) {
    world.cycle();
    for (std::string& line : world.write(book, unseen)) written.push_back(std::move(line));
  }
  EXPECT_THAT(written, Not(Contains(HasSubstr("/pods/t-0"))));
  world.edit("Pod", "t-1", [](Json& object) {
    object["spec"].erase("schedulingGates");
    object["spec"]["nodeSelector"]["kubernetes.io/hostname"] = "n1";
  });
  settle(world, book);
  EXPECT_EQ(world.object("Pod", "t-0")["spec"]["nodeSelector"]["kubernetes.io/hostname"], "n2");
}

TEST(WorkloadWrites, OneThatIsDeactivatedIsSuspended) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  std::string name = workload_name_in(world);
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = false; });
  std::vector<std::string> written = settle(world, book);
  EXPECT_THAT(written, Contains("PATCH " + std::string(kWorkloads) + name + "/status"));
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true);
  Json workload = world.object("Workload", name);
  EXPECT_FALSE(workload["status"].contains("admission"));
  EXPECT_EQ(condition(workload, "Evicted")["status"], "True");
  Json spec = world.object("Job", "train")["spec"]["template"]["spec"];
  EXPECT_FALSE(spec.contains("schedulingGates"));
  EXPECT_FALSE(spec.contains("nodeSelector"));
}

// It is suspended at once, and has its template back once its controller has taken its pods away.
TEST(WorkloadWrites, OneThatRanHasItsTemplateBackOnceItsPodsAreGone) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  world.edit("Job", "train", [](Json& job) {
    job["status"] = {{"active", 2}, {"startTime", "2026-11-22T10:00:00Z"}};
  });
  std::string name = workload_name_in(world);
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = false; });
  settle(world, book);
  Json job = world.object("Job", "train");
  EXPECT_EQ(job["spec"]["suspend"], true);
  EXPECT_TRUE(job["spec"]["template"]["spec"].contains("nodeSelector")) << "not yet";

  // The next leader goes on with it.
  StatusBook second({});
  world.edit("Job", "train", [](Json& gone) { gone["status"].erase("active"); });
  settle(world, second);
  job = world.object("Job", "train");
  EXPECT_FALSE(job["status"].contains("startTime"));
  EXPECT_FALSE(job["spec"]["template"]["spec"].contains("nodeSelector"));
  EXPECT_FALSE(job["spec"]["template"]["spec"].contains("schedulingGates"));

  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = true; });
  settle(world, second);
  job = world.object("Job", "train");
  EXPECT_EQ(job["spec"]["suspend"], false);
  EXPECT_EQ(job["spec"]["template"]["spec"]["nodeSelector"]["pool"], "gold");
}

TEST(WorkloadWrites, WhatAUserChangesInAJobThatWaitsStays) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "b") + kJob);
  StatusBook book({});
  settle(world, book);
  ASSERT_NE(workload_name_in(world), "");
  world.edit("Job", "train", [](Json& job) {
    job["spec"]["template"]["spec"]["nodeSelector"] = {{"disk", "fast"}};
  });
  StatusBook second({});
  settle(world, second);
  Json spec = world.object("Job", "train")["spec"]["template"]["spec"];
  EXPECT_EQ(spec["nodeSelector"]["disk"], "fast");
}

TEST(WorkloadWrites, AnAdmissionWaitsForTheTemplateOfTheOneBefore) {
  LiveWorld world;
  world.put(std::string(kQuota) + node("n1", "a") + node("n2", "a") + kJob);
  StatusBook book({});
  settle(world, book);
  std::string name = workload_name_in(world);
  world.edit("Job", "train", [](Json& job) {
    job["status"] = {{"active", 2}, {"startTime", "2026-11-22T10:00:00Z"}};
  });
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = false; });
  settle(world, book);
  // Meanwhile its flavor means other nodes.
  std::string changed = kQuota;
  changed.replace(changed.find("pool: gold"), 10, "pool: iron");
  for (const char* each : {"n1", "n2"}) {
    world.edit("Node", each, [](Json& one) { one["metadata"]["labels"]["pool"] = "iron"; });
  }
  world.put(changed);
  world.edit("Workload", name, [](Json& object) { object["spec"]["active"] = true; });
  settle(world, book);
  EXPECT_EQ(world.object("Job", "train")["spec"]["suspend"], true) << "its pods are still there";
  world.edit("Job", "train", [](Json& job) { job["status"].erase("active"); });
  settle(world, book);
  Json job = world.object("Job", "train");
  EXPECT_EQ(job["spec"]["suspend"], false);
  EXPECT_EQ(job["spec"]["template"]["spec"]["nodeSelector"]["pool"], "iron");
}

}  // namespace
}  // namespace trellis::workload_writes_test
