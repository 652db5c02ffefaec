// The places that workloads were promised in an earlier cycle: kept while pods leave, given once
// they have left, and dropped when they are not there any more.
#include "actions/workloads/promised_workloads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/actions/workloads/workload_hall.h"

namespace trellis::promised_workloads_test {
namespace {

using testing::SizeIs;
using Kind = WorkloadDecision::Kind;

class PromisedWorkloads : public testing::Test {
 protected:
  PromisedWorkloads() {
    hall_.node("n1", 2);
    hall_.node("n2", 2);
  }

  StrId str(std::string_view text) { return hall_.world().str(text); }

  WorkloadId promised(const std::string& node, int32_t pods) {
    Workload workload = hall_.workload({{.count = pods}});
    Admission admission;
    admission.cluster_queue = str("queue");
    PodSetAdmission& set = admission.pod_sets.emplace_back();
    set.name = workload.pod_sets.front().name;
    set.flavors = {{kCpu, str("main")}};
    set.usage.set(kCpu, pods * kMilli);
    set.count = pods;
    set.topology = {
        .levels = {str("kubernetes.io/hostname")}, .values = {str(node)}, .counts = {pods}};
    workload.promised = admission;
    return hall_.add(std::move(workload));
  }

  void leaving_pod(const std::string& node, const std::string& workload) {
    Pod pod;
    pod.name_space = str("default");
    pod.name = "leaves-" + node;
    pod.gang = str(pod.name);
    if (!workload.empty()) {
      pod.workload = str("default/" + workload);
      pod.pod_set = str("set1");
    }
    pod.node = node;
    pod.status = PodStatus::Releasing;
    PodSpec spec;
    spec.requests.set(kCpu, kMilli);
    spec.requests.set(kPods, 1);
    hall_.world().cluster.upsert(std::move(pod), std::move(spec));
  }

  test::WorkloadHall hall_{{.quota = 4}};
};

TEST_F(PromisedWorkloads, AreAdmittedWhereTheyWerePromised) {
  WorkloadId id = promised("n2", 2);
  Session& session = hall_.open();
  EXPECT_TRUE(keep_workload_promises(session, Admissions::Open));
  ASSERT_THAT(session.workload_decisions(), SizeIs(1));
  EXPECT_EQ(session.workload_decisions().front().kind, Kind::Admit);
  EXPECT_EQ(session.admission(id)->pod_sets.front().topology->values.front(), str("n2"));
  EXPECT_EQ(hall_.usage(session), 2);
}

TEST_F(PromisedWorkloads, WaitUntilOthersHaveLeftThePlace) {
  WorkloadId id = promised("n2", 2);
  leaving_pod("n2", "");
  Session& session = hall_.open();
  EXPECT_TRUE(keep_workload_promises(session, Admissions::Open));
  ASSERT_THAT(session.workload_decisions(), SizeIs(1));
  EXPECT_EQ(session.workload_decisions().front().kind, Kind::Promise);
  EXPECT_EQ(session.admission(id), nullptr);
  EXPECT_EQ(hall_.usage(session), 2);
}

TEST_F(PromisedWorkloads, WaitForTheirOwnPodsToLeave) {
  WorkloadId id = promised("n2", 2);
  leaving_pod("n1", hall_.name(id));
  Session& session = hall_.open();
  keep_workload_promises(session, Admissions::Open);
  ASSERT_THAT(session.workload_decisions(), SizeIs(1));
  EXPECT_EQ(session.workload_decisions().front().kind, Kind::Promise);
}

TEST_F(PromisedWorkloads, AreKeptWhileNothingMayBeAdmitted) {
  promised("n2", 2);
  Session& session = hall_.open();
  EXPECT_FALSE(keep_workload_promises(session, Admissions::Held));
  ASSERT_THAT(session.workload_decisions(), SizeIs(1));
  EXPECT_EQ(session.workload_decisions().front().kind, Kind::Promise);
}

TEST_F(PromisedWorkloads, LapseWhereTheNodeIsTooSmallOrGone) {
  promised("n2", 3);
  promised("n7", 1);
  Session& session = hall_.open();
  EXPECT_TRUE(keep_workload_promises(session, Admissions::Open));
  ASSERT_THAT(session.workload_decisions(), SizeIs(2));
  for (const WorkloadDecision& decision : session.workload_decisions()) {
    EXPECT_EQ(decision.kind, Kind::Lapse);
  }
  EXPECT_EQ(hall_.usage(session), 0);
}

TEST_F(PromisedWorkloads, LapseWithoutQuota) {
  promised("n1", 2);
  promised("n2", 2);
  WorkloadId third = promised("n2", 1);
  Session& session = hall_.open();
  keep_workload_promises(session, Admissions::Open);
  ASSERT_THAT(session.workload_decisions(), SizeIs(3));
  EXPECT_EQ(session.workload_decisions().back().workload, third);
  EXPECT_EQ(session.workload_decisions().back().kind, Kind::Lapse);
}

TEST_F(PromisedWorkloads, ThatLapsedAreTriedLikeOthers) {
  WorkloadId id = promised("n7", 1);
  const CycleRecord& record = hall_.world().cycle();
  EXPECT_EQ(record.workloads[id].status, WorkloadStatus::Admitted);
}

TEST_F(PromisedWorkloads, GoBeforeTheHeadsOfQueues) {
  Workload older = hall_.workload({{.count = 2}}, 100);
  hall_.add(std::move(older));
  Workload other = hall_.workload({{.count = 2}}, 100);
  hall_.add(std::move(other));
  WorkloadId id = promised("n2", 2);
  const CycleRecord& record = hall_.world().cycle();
  EXPECT_EQ(record.workloads[id].status, WorkloadStatus::Admitted);
  EXPECT_EQ(record.workloads[id].admission->pod_sets.front().topology->values.front(), str("n2"));
}

}  // namespace
}  // namespace trellis::promised_workloads_test
