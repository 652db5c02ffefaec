// Which queries a plan answers, as pods come and go.
#include "plugins/placementpreferences/division_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::division_plan_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const NodeId kA{0U};
const NodeId kB{1U};

DivisionQuery query(int64_t pods) { return {.pod_class = PodClassId(0U), .pods = pods}; }

// Of five pods four find room.
DivisionPlan plan_of_five() { return {query(1), 5, {kA, kB, kB, kA}}; }

TEST(DivisionPlan, PodsThatAreItsBeginningInAnyOrderFollowIt) {
  DivisionPlan plan = plan_of_five();
  EXPECT_THAT(plan.next(3), ElementsAre(kA, kB, kB));
  plan.placed(kB);
  EXPECT_FALSE(plan.answers(query(1)));
  plan.placed(kA);
  ASSERT_TRUE(plan.answers(query(1)));
  EXPECT_THAT(plan.next(2), ElementsAre(kB, kA));
  plan.removed(kB);
  EXPECT_THAT(plan.next(1), ElementsAre(kB));
}

TEST(DivisionPlan, WhatItHasNoRoomForIsLeftOut) {
  DivisionPlan plan = plan_of_five();
  for (NodeId node : {kA, kB, kB, kA}) plan.placed(node);
  ASSERT_TRUE(plan.answers(query(1)));
  EXPECT_THAT(plan.next(1), IsEmpty());
}

TEST(DivisionPlan, OthersPodsEndIt) {
  DivisionPlan plan = plan_of_five();
  plan.removed(kA);
  EXPECT_FALSE(plan.answers(query(1)));
  plan.placed(kA);
  EXPECT_TRUE(plan.answers(query(1)));
  for (NodeId node : {kA, kB, kB, kA, kA}) plan.placed(node);
  EXPECT_FALSE(plan.answers(query(1)));
}

TEST(DivisionPlan, AnswersForItsClassModeNodesAndNumberOfPods) {
  DivisionPlan plan = plan_of_five();
  EXPECT_TRUE(plan.answers(query(5)));
  EXPECT_FALSE(plan.answers(query(6)));
  DivisionQuery other = query(1);
  other.pod_class = PodClassId(1U);
  EXPECT_FALSE(plan.answers(other));
  other = query(1);
  other.mode = FitMode::Future;
  EXPECT_FALSE(plan.answers(other));
  other = query(1);
  std::vector<NodeId> nodes{kA};
  other.nodes = nodes;
  EXPECT_FALSE(plan.answers(other));
}

}  // namespace
}  // namespace trellis::division_plan_test
