#include "plugins/proportion/proportion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "framework/queue_tree.h"
#include "tests/support/queues.h"
#include "tests/support/world.h"

namespace trellis::proportion_test {
namespace {

using ::testing::ElementsAre;

// Queues a and b of an organisation, one of them with a queue below it, and c beside it.
class ProportionTest : public ::testing::Test {
 protected:
  QueueId queue(const std::string& name, const QueueArgs& args = {}) {
    return add_queue(world.cluster, name, args);
  }
  QueueId id(const std::string& name) const { return world.cluster.find_queue(name); }
  // A gang of one-GPU pods; with a node it runs there.
  GangId gang(const std::string& name, const std::string& queue, int32_t pods,
              const std::string& node = "") {
    return world.gang(name, {.count = pods,
                             .pod = {.cpu = 1, .memory_gib = 1, .gpu = 1, .node = node},
                             .queue = queue});
  }
  const QueueRules& rules() { return *session().hooks().queue_rules; }
  Session& session() {
    if (session_ == nullptr) session_ = &world.scheduler().open(0);
    return *session_;
  }
  int64_t fair_gpus(const std::string& name) {
    return rules().figures(id(name)).fair_share[QueueResource::Gpu];
  }
  static QueueAmounts gpus(int64_t count) {
    return {{count * kMilli, count * kMilli, count << 30}};
  }
  int compare(const std::string& a, const std::string& b, int64_t need_a = 1, int64_t need_b = 1) {
    QueueAmounts x = gpus(need_a), y = gpus(need_b);
    return rules().compare({id(a), GangId(), &x}, {id(b), GangId(), &y});
  }

  World world;

 private:
  Session* session_ = nullptr;
};

TEST_F(ProportionTest, ChildrenShareWhatTheirParentHas) {
  world.node("n", {.gpu = 8});
  queue("org", {.gpu_quota = 6});
  queue("a", {.parent = "org", .gpu_quota = 1});
  queue("b", {.parent = "org", .gpu_quota = 1, .gpu_weight = 3});
  queue("c", {.gpu_quota = 2});
  for (const char* name : {"a", "b", "c"}) gang(name, name, 8);
  EXPECT_EQ(fair_gpus("org"), 6 * kMilli);
  EXPECT_EQ(fair_gpus("c"), 2 * kMilli);
  EXPECT_EQ(fair_gpus("a"), 2 * kMilli);
  EXPECT_EQ(fair_gpus("b"), 4 * kMilli);
}

TEST_F(ProportionTest, WhatOtherSchedulersHoldIsNotShared) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 0});
  gang("a", "a", 8);
  world.pod("foreign", "foreign", {.gpu = 3, .node = "n", .hold = PodHold::OtherScheduler});
  EXPECT_EQ(fair_gpus("a"), 5 * kMilli);
}

TEST_F(ProportionTest, GangsWithoutAQueueHaveTheirPart) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 0});
  gang("a", "a", 8);
  gang("free", "", 8);
  QueueId open = session().snapshot().queues().tree().open_queue();
  EXPECT_EQ(rules().figures(open).fair_share[QueueResource::Gpu], 4 * kMilli);
  make_non_preemptible(world.cluster, world.gang_id("free"));
  EXPECT_EQ(rules().may_take(world.gang_id("free"), gpus(8)).code, ReasonCode::None);
}

TEST_F(ProportionTest, OnlyTheMinimumOfASemiPreemptibleGangIsHeldToTheQuota) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 3});
  GangId semi = world.gang("semi", {.min_member = 2,
                                    .count = 4,
                                    .pod = {.cpu = 1, .memory_gib = 1, .gpu = 1, .node = "n"},
                                    .queue = "a"});
  GangId other = gang("other", "a", 2);
  make_keep_minimum(world.cluster, semi);
  make_keep_minimum(world.cluster, other);
  EXPECT_EQ(rules().may_take(semi, gpus(1)).code, ReasonCode::None) << "above its minimum";
  EXPECT_EQ(rules().may_take(other, gpus(1)).code, ReasonCode::None) << "within the quota";
  EXPECT_EQ(rules().may_take(other, gpus(2)).code, ReasonCode::QueueOverQuota);
}

TEST_F(ProportionTest, TheMinimumIsCountedWhileAGangShrinks) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 3});
  GangId semi = world.gang("semi", {.min_member = 2,
                                    .count = 4,
                                    .pod = {.cpu = 1, .memory_gib = 1, .gpu = 1, .node = "n"},
                                    .queue = "a"});
  make_keep_minimum(world.cluster, semi);
  Statement& statement = session().statement();
  auto fixed = [&] {
    return session().snapshot().queues().use()[id("a")].non_preemptible[QueueResource::Gpu];
  };
  EXPECT_EQ(fixed(), 2 * kMilli);
  for (const char* pod : {"semi-3", "semi-2"}) {
    statement.evict(world.pod_id(pod), GangId());
    EXPECT_EQ(fixed(), 2 * kMilli) << pod;
  }
  statement.evict(world.pod_id("semi-1"), GangId());
  EXPECT_EQ(fixed(), 1 * kMilli);
  statement.rollback();
  EXPECT_EQ(fixed(), 2 * kMilli);
}

TEST_F(ProportionTest, GangsInTheBackgroundCountForNoQueue) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 2, .gpu_limit = 2});
  put_in_background(world.cluster, gang("filler", "a", 4, "n"));
  put_in_background(world.cluster, gang("later", "a", 4));
  GangId work = gang("work", "a", 2);
  EXPECT_EQ(session().snapshot().queues().use()[id("a")].allocated, QueueAmounts());
  EXPECT_EQ(session().snapshot().queues().use()[id("a")].waiting, gpus(2));
  EXPECT_EQ(rules().may_take(work, gpus(2)).code, ReasonCode::None);
}

TEST_F(ProportionTest, QueuesBelowTheirFairShareGoFirst) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 6, .gpu_limit = 6, .priority = 200});
  queue("b", {.gpu_quota = 0});
  gang("runs", "a", 6, "n");
  gang("a", "a", 2);
  gang("b", "b", 2);
  EXPECT_EQ(fair_gpus("a"), 6 * kMilli);
  EXPECT_EQ(fair_gpus("b"), 2 * kMilli);
  // Though the other is within its quota and of higher priority.
  EXPECT_GT(compare("a", "b", 0, 1), 0);
  EXPECT_LT(compare("b", "a", 1, 0), 0);
}

TEST_F(ProportionTest, ThenThoseThatStayWithinTheirQuota) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 1, .priority = 200});
  queue("b", {.gpu_quota = 2});
  gang("a", "a", 2);
  gang("b", "b", 2);
  EXPECT_LT(compare("b", "a", 2, 2), 0);
  EXPECT_LT(compare("a", "b", 2, 3), 0) << "both above: by priority";
}

TEST_F(ProportionTest, ThenTheSmallerDominantShareWithTheGang) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 4, .created = 2});
  queue("b", {.gpu_quota = 4, .created = 1});
  gang("a", "a", 4);
  gang("b", "b", 4);
  EXPECT_LT(compare("a", "b", 1, 2), 0);
  EXPECT_GT(compare("a", "b", 2, 2), 0) << "the older";
}

TEST_F(ProportionTest, LimitsHoldAtEveryAncestor) {
  world.node("n", {.gpu = 8});
  queue("org", {.gpu_limit = 3});
  queue("a", {.parent = "org"});
  queue("b", {.parent = "org"});
  gang("runs", "b", 2, "n");
  GangId waits = gang("waits", "a", 2);
  Reason reason = rules().may_take(waits, gpus(2));
  EXPECT_EQ(reason.code, ReasonCode::QueueOverLimit);
  EXPECT_EQ(reason.subject, "org");
  EXPECT_EQ(reason.bound, (QueueBound{QueueResource::Gpu, 2 * kMilli, 2 * kMilli, 3 * kMilli}));
  EXPECT_EQ(rules().may_take(waits, gpus(1)).code, ReasonCode::None);
}

TEST_F(ProportionTest, ALimitThatIsPassedAlreadyIsNotHeldAgainstOtherResources) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_limit = 1});
  gang("runs", "a", 2, "n");
  GangId small = world.gang("small", {.count = 1, .pod = {.cpu = 1}, .queue = "a"});
  EXPECT_EQ(rules().may_take(small, {{0, 1000, 0}}).code, ReasonCode::None);
}

TEST_F(ProportionTest, NonPreemptibleGangsStayWithinTheQuota) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 2});
  gang("lets-go", "a", 2, "n");
  GangId stays = gang("stays", "a", 3);
  make_non_preemptible(world.cluster, stays);
  EXPECT_EQ(rules().may_take(stays, gpus(2)).code, ReasonCode::None) << "preemptible ones aside";
  Reason reason = rules().may_take(stays, gpus(3));
  EXPECT_EQ(reason.code, ReasonCode::QueueOverQuota);
  EXPECT_EQ(reason.bound, (QueueBound{QueueResource::Gpu, 3 * kMilli, 0, 2 * kMilli}));
}

TEST_F(ProportionTest, AReclaimerStaysWithinItsFairShare) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 4});
  queue("b", {.gpu_quota = 4});
  gang("b-runs", "b", 8, "n");
  GangId waits = gang("waits", "a", 6);
  EXPECT_EQ(rules().may_reclaim(waits, gpus(4)).code, ReasonCode::None);
  EXPECT_EQ(rules().may_reclaim(waits, gpus(5)).code, ReasonCode::QueueOverFairShare);
  EXPECT_TRUE(rules().may_lose(id("b"), waits, gpus(4)));
}

TEST_F(ProportionTest, AQueueWithinItsShareLosesNothing) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 4});
  queue("b", {.gpu_quota = 4});
  gang("b-runs", "b", 4, "n");
  GangId waits = gang("waits", "a", 4);
  EXPECT_FALSE(rules().may_lose(id("b"), waits, gpus(4)));
  EXPECT_FALSE(rules().may_lose(id("a"), waits, gpus(1))) << "its own queue";
}

TEST_F(ProportionTest, AQueueGivesOnlyWhatTheOtherOneWants) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 2});
  queue("b", {.gpu_quota = 4});
  gang("large", "a", 6, "n");
  GangId waits = gang("waits", "b", 2);
  QueueAmounts no_gpus = gpus(2);
  no_gpus[QueueResource::Gpu] = 0;
  EXPECT_TRUE(rules().may_lose(id("a"), waits, gpus(2)));
  EXPECT_FALSE(rules().may_lose(id("a"), waits, no_gpus)) << "a has too much of GPUs alone";
}

TEST_F(ProportionTest, SiblingsAreJudgedUnderTheLowestCommonAncestor) {
  world.node("n", {.gpu = 8});
  queue("org", {.gpu_quota = 8});
  queue("a", {.parent = "org", .gpu_quota = 2});
  queue("b", {.parent = "org", .gpu_quota = 6});
  queue("other", {.gpu_quota = 0});
  gang("b-runs", "b", 7, "n");
  gang("other-runs", "other", 1, "n");
  GangId waits = gang("waits", "a", 2);
  EXPECT_TRUE(rules().may_lose(id("b"), waits, gpus(1)));
  EXPECT_TRUE(rules().may_lose(id("other"), waits, gpus(1)));
}

// Each loss is judged with what the queue held before it: a unit that takes it below its share is
// the last.
TEST_F(ProportionTest, LossesAreJudgedUnitByUnit) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 4});
  queue("b", {.gpu_quota = 4});
  gang("b-runs", "b", 6, "n");
  GangId waits = gang("waits", "a", 4);
  Session& now = session();
  std::vector<PodId> pods = now.cluster().pods_of(world.gang_id("b-runs"));
  for (size_t i = 0; i < 4; ++i) now.statement().evict(pods[i], waits);
  std::vector<PodId> mine = now.cluster().pods_of(waits);
  for (size_t i = 0; i < 4; ++i) {
    now.statement().place_on(mine[i], world.node_id("n"), FitMode::Future, {});
  }
  std::vector<QueueLoss> singles(4, QueueLoss{id("b"), gpus(1)});
  EXPECT_FALSE(rules().fair_exchange(waits, gpus(4), singles)) << "the third was within its share";
  std::vector<QueueLoss> core = {{id("b"), gpus(1)}, {id("b"), gpus(3)}};
  EXPECT_TRUE(rules().fair_exchange(waits, gpus(4), core));
}

TEST_F(ProportionTest, TheGainingSideMayNotPassItsShareFurtherThanTheLosingOne) {
  world.node("n", {.gpu = 8});
  queue("org", {.gpu_quota = 2, .gpu_weight = 0});
  queue("a", {.parent = "org", .gpu_quota = 4});
  queue("other", {.gpu_quota = 4, .gpu_weight = 0});
  gang("other-runs", "other", 6, "n");
  GangId waits = gang("waits", "a", 4);
  ASSERT_EQ(fair_gpus("org"), 2 * kMilli);
  Session& now = session();
  std::vector<PodId> victims = now.cluster().pods_of(world.gang_id("other-runs"));
  std::vector<PodId> mine = now.cluster().pods_of(waits);
  auto exchange = [&](size_t count) {
    Statement::Checkpoint start = now.statement().checkpoint();
    for (size_t i = 0; i < count; ++i) now.statement().evict(victims[i], waits);
    for (size_t i = 0; i < count; ++i) {
      now.statement().place_on(mine[i], world.node_id("n"), FitMode::Future, {});
    }
    auto amount = static_cast<int64_t>(count);
    std::vector<QueueLoss> losses = {{id("other"), gpus(amount)}};
    bool fair = rules().fair_exchange(waits, gpus(amount), losses);
    now.statement().rollback(start);
    return fair;
  };
  EXPECT_TRUE(exchange(2)) << "2 of 2 here, 4 of 4 there";
  EXPECT_FALSE(exchange(4)) << "4 of 2 here, 2 of 4 there";
}

TEST_F(ProportionTest, DominantShareIsOfWhatTheQueueMayHave) {
  world.node("n", {.gpu = 8});
  queue("a", {.gpu_quota = 4, .gpu_limit = 2});
  queue("none", {.gpu_quota = 0, .gpu_weight = 0});
  gang("runs", "a", 1, "n");
  gang("free-rider", "none", 1, "n");
  EXPECT_DOUBLE_EQ(rules().figures(id("a")).dominant_share, 0.5);
  EXPECT_DOUBLE_EQ(rules().figures(id("none")).dominant_share, 1000);
}

}  // namespace
}  // namespace trellis::proportion_test
