#include "actions/workloads/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/actions/workloads/workload_hall.h"

namespace trellis::admission_test {
namespace {

using test::WorkloadHall;
using testing::IsEmpty;
using testing::SizeIs;

int64_t cores(const Session& session, FitMode mode, NodeId node) {
  const NodeState& state = session.snapshot().state();
  return (mode == FitMode::Now ? state.now : state.future)[kCpu][node] / kMilli;
}

class AdmissionTest : public testing::Test {
 protected:
  AdmissionTest() {
    hall.node("n1", 4);
    waiting = hall.add(hall.workload({{.count = 3}}));
  }

  // Its slots are in the statement.
  Nomination nominate(Session& session) {
    Nominator nominator(session);
    nominator.begin(waiting, hall.queue());
    Nomination nomination;
    EXPECT_TRUE(nominator.find(Nominator::Need::Fit, nomination));
    return nomination;
  }
  NodeId node() const { return NodeId(0); }

  WorkloadHall hall{{.quota = 3}};
  WorkloadId waiting;
};

TEST_F(AdmissionTest, AnAdmissionIsDecidedAndCommitted) {
  Session& session = hall.open();
  admit(session, nominate(session));
  EXPECT_TRUE(session.statement().clean());
  ASSERT_THAT(session.workload_decisions(), SizeIs(1));
  const Admission* made = session.admission(waiting);
  ASSERT_NE(made, nullptr);
  ASSERT_TRUE(made->pod_sets[0].topology);
  EXPECT_EQ(made->pod_sets[0].topology->levels,
            std::vector{hall.world().str("kubernetes.io/hostname")});
  EXPECT_EQ(made->pod_sets[0].topology->counts, std::vector<int32_t>{3});
  EXPECT_EQ(WorkloadHall::usage(session), 3);
  EXPECT_EQ(cores(session, FitMode::Now, node()), 1);
}

TEST_F(AdmissionTest, AwaitOnlyHoldsWhatARollbackFrees) {
  Session& session = hall.open();
  Nomination nomination = nominate(session);
  WorkloadDecision decision = await(session, nomination, {.code = ReasonCode::WaitingForQuota});
  EXPECT_EQ(decision.kind, WorkloadDecision::Kind::Await);
  EXPECT_EQ(decision.reason.code, ReasonCode::WaitingForQuota);
  EXPECT_EQ(WorkloadHall::usage(session), 3);
  EXPECT_THAT(session.workload_decisions(), IsEmpty());
  session.statement().rollback();
  EXPECT_EQ(WorkloadHall::usage(session), 0);
  EXPECT_EQ(cores(session, FitMode::Now, node()), 4);
}

TEST_F(AdmissionTest, AWorkloadThatAwaitsHasNoAdmissionYet) {
  Session& session = hall.open();
  session.decide(await(session, nominate(session), {.code = ReasonCode::WaitingForQuota}));
  session.commit("admit");
  EXPECT_EQ(session.admission(waiting), nullptr);
}

TEST_F(AdmissionTest, AnEvictedWorkloadFreesQuotaAtOnceAndRoomInFuture) {
  {
    Session& session = hall.open();
    admit(session, nominate(session));
    Workload admitted = hall.world().cluster.workloads()[waiting];
    admitted.admission = *session.admission(waiting);
    hall.add(std::move(admitted));
  }
  Session& session = hall.open();
  ASSERT_EQ(WorkloadHall::usage(session), 3);
  ASSERT_EQ(cores(session, FitMode::Future, node()), 1);
  WorkloadDecision decision = leave(session, waiting, {.code = ReasonCode::Deactivated}, {});
  EXPECT_EQ(decision.kind, WorkloadDecision::Kind::Evict);
  ASSERT_THAT(decision.left, SizeIs(1));
  EXPECT_EQ(decision.left[0].count, 3);
  EXPECT_EQ(WorkloadHall::usage(session), 0);
  EXPECT_EQ(cores(session, FitMode::Now, node()), 1);
  EXPECT_EQ(cores(session, FitMode::Future, node()), 4);
  EXPECT_THAT(session.workload_decisions(), IsEmpty());
  session.statement().rollback();
  EXPECT_EQ(WorkloadHall::usage(session), 3);
  EXPECT_EQ(cores(session, FitMode::Future, node()), 1);
}

}  // namespace
}  // namespace trellis::admission_test
