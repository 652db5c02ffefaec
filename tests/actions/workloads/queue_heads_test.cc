#include "actions/workloads/queue_heads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "tests/actions/workloads/workload_hall.h"
#include "tests/support/random.h"

namespace trellis::queue_heads_test {
namespace {

using test::WorkloadHall;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::vector<std::string> passed_one_by_one(const WorkloadHall& hall, QueueHeads& heads) {
  std::vector<std::string> names;
  for (; heads.head().valid(); heads.pass()) names.push_back(hall.name(heads.head()));
  return names;
}

TEST(QueueHeads, WorkloadsOfAllClassesComeInOneOrder) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    WorkloadHall hall({});
    std::vector<std::tuple<int32_t, TimeUs, std::string>> expected;
    for (int i = 0; i < 12; ++i) {
      auto priority = static_cast<int32_t>(random.below(3));
      auto queued = static_cast<TimeUs>(random.below(3));
      int64_t cores = 1 + random.below(3);
      Workload made = hall.workload({{.cores = cores}}, priority, queued);
      expected.emplace_back(-priority, queued, made.name);
      hall.add(std::move(made));
    }
    std::sort(expected.begin(), expected.end());
    QueueHeads heads(hall.open(), hall.queue());
    std::vector<std::string> names = passed_one_by_one(hall, heads);
    ASSERT_EQ(names.size(), expected.size());
    for (size_t i = 0; i < names.size(); ++i) EXPECT_EQ(names[i], std::get<2>(expected[i]));
  }
}

// Two classes: w0, w2 and w4 request one core, w1 and w3 two.
void add_two_classes(WorkloadHall& hall) {
  for (int i = 0; i < 5; ++i) hall.add(hall.workload({{.cores = 1 + i % 2}}, 0, i));
}

TEST(QueueHeads, AWorkloadThatFailsTakesItsClassAlong) {
  WorkloadHall hall({.queueing = QueueingStrategy::BestEffortFifo});
  add_two_classes(hall);
  Session& session = hall.open();
  QueueHeads heads(session, hall.queue());
  heads.pass();
  EXPECT_EQ(hall.name(heads.head()), "w1");
  std::vector<WorkloadClassId> failed;
  heads.fail(failed);
  const WorkloadClasses& classes = session.snapshot().workloads().classes();
  WorkloadId first = hall.world().cluster.workloads().workloads().find("default/w1");
  EXPECT_THAT(failed, ElementsAre(classes.class_of(first)));
  EXPECT_THAT(passed_one_by_one(hall, heads), ElementsAre("w2", "w4"));
}

TEST(QueueHeads, NoneFollowsAFailureInAStrictQueue) {
  WorkloadHall hall({.queueing = QueueingStrategy::StrictFifo});
  add_two_classes(hall);
  QueueHeads heads(hall.open(), hall.queue());
  std::vector<WorkloadClassId> failed;
  heads.fail(failed);
  EXPECT_FALSE(heads.head().valid());
  EXPECT_THAT(failed, SizeIs(2));
}

TEST(QueueHeads, AllClassesCanBeOutAtOnce) {
  WorkloadHall hall({.queueing = QueueingStrategy::BestEffortFifo});
  add_two_classes(hall);
  QueueHeads heads(hall.open(), hall.queue());
  std::vector<WorkloadClassId> out;
  heads.fail_all(out);
  EXPECT_FALSE(heads.head().valid());
  EXPECT_THAT(out, SizeIs(2));
  heads.fail_all(out);
  EXPECT_THAT(out, SizeIs(2)) << "no class is out twice";
}

TEST(QueueHeads, WhatBacksOffIsPassedOverUntilItsTime) {
  WorkloadHall hall({});
  for (int i = 0; i < 4; ++i) {
    Workload made = hall.workload({{}}, 0, i);
    // The first two, and one behind another, of one class.
    if (i != 2) made.requeue_at = 10;
    hall.add(std::move(made));
  }
  Workload alone = hall.workload({{.cores = 2}});
  alone.requeue_at = 10;
  hall.add(std::move(alone));
  QueueHeads early(hall.open(9), hall.queue());
  EXPECT_THAT(passed_one_by_one(hall, early), ElementsAre("w2"));
  QueueHeads due(hall.open(10), hall.queue());
  EXPECT_THAT(passed_one_by_one(hall, due), ElementsAre("w0", "w4", "w1", "w2", "w3"));
}

TEST(QueueHeads, AQueueWithoutWorkloadsHasNoHead) {
  WorkloadHall hall({});
  QueueHeads heads(hall.open(), hall.queue());
  EXPECT_FALSE(heads.head().valid());
  std::vector<WorkloadClassId> out;
  heads.fail_all(out);
  EXPECT_THAT(out, IsEmpty());
}

}  // namespace
}  // namespace trellis::queue_heads_test
