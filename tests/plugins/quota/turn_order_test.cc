#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/quota_world.h"

namespace trellis::turn_order_test {
namespace {

struct TurnsWorld : QuotaWorld {
  std::vector<WorkloadTurn> turns;

  void turn(ClusterQueueId queue, const std::string& name, int64_t amount,
            const WorkloadArgs& args = {}, int borrowing = 0) {
    amounts_.push_back({{cell("main"), amount}});
    turns.push_back({waiting(name, args), queue, borrowing, amounts_.back(), {}});
  }
  std::string first() { return workloads[turns[rules().first(turns)].workload].name; }
  // All of them, each taking what it asks for.
  std::vector<std::string> order() {
    std::vector<std::string> found;
    while (!turns.empty()) {
      size_t at = rules().first(turns);
      found.push_back(workloads[turns[at].workload].name);
      for (const QuotaAmount& amount : turns[at].amounts) {
        use(turns[at].queue, amount.cell, amount.amount);
      }
      turns.erase(turns.begin() + static_cast<ptrdiff_t>(at));
    }
    return found;
  }
  void share_fairly() { config.plugins["quota"].arguments["fairSharing"] = "true"; }

 private:
  std::vector<std::vector<QuotaAmount>> amounts_;
};

using Names = std::vector<std::string>;

struct TwoQueues : TurnsWorld {
  ClusterQueueId a;
  ClusterQueueId b;
  explicit TwoQueues(int64_t nominal) {
    a = queue("a", "team", {{.nominal = nominal}});
    b = queue("b", "team", {{.nominal = nominal}});
    cohort("team", "", {{.nominal = 100}});
    build();
  }
};

TEST(TurnOrder, LessBorrowingThenPriorityThenTimeThenName) {
  TwoQueues world(10);
  world.turn(world.a, "borrows", 1, {.priority = 9}, 1);
  world.turn(world.a, "old", 1, {.priority = 1, .queued = 1});
  world.turn(world.b, "young", 1, {.priority = 1, .queued = 2});
  world.turn(world.b, "twin", 1, {.priority = 1, .queued = 1});
  world.turn(world.b, "urgent", 1, {.priority = 5, .queued = 9});
  EXPECT_EQ(world.order(), (Names{"urgent", "old", "twin", "young", "borrows"}));
}

TEST(TurnOrder, SharesAlternateBetweenQueuesThatBorrow) {
  TwoQueues world(0);
  world.share_fairly();
  for (int i = 0; i < 3; ++i) {
    world.turn(world.a, "a" + std::to_string(i), 10, {.queued = i});
    world.turn(world.b, "b" + std::to_string(i), 10, {.queued = 10 + i});
  }
  EXPECT_EQ(world.order(), (Names{"a0", "b0", "a1", "b1", "a2", "b2"}));
}

TEST(TurnOrder, WeightsMakeSharesUnequal) {
  TwoQueues world(0);
  world.queues[world.a].weight = 2;
  world.tree = QuotaTree(world.queues, world.cohorts, world.names.strings);
  world.share_fairly();
  for (int i = 0; i < 4; ++i) world.turn(world.a, "a" + std::to_string(i), 10, {.queued = i});
  for (int i = 0; i < 2; ++i) world.turn(world.b, "b" + std::to_string(i), 10, {.queued = 10 + i});
  EXPECT_EQ(world.order(), (Names{"a0", "a1", "b0", "a2", "a3", "b1"}));
}

TEST(TurnOrder, WhoDoesNotBorrowGoesFirstWhateverItsPriority) {
  TwoQueues world(10);
  world.share_fairly();
  world.turn(world.a, "borrows", 11, {.priority = 9});
  world.turn(world.b, "within", 10);
  EXPECT_EQ(world.order(), (Names{"within", "borrows"}));
}

TEST(TurnOrder, ACohortStandsForWhatIsBelowIt) {
  TurnsWorld world;
  ClusterQueueId a = world.queue("a", "left", {{.nominal = 0}});
  ClusterQueueId b = world.queue("b", "left", {{.nominal = 0}});
  ClusterQueueId c = world.queue("c", "right", {{.nominal = 0}});
  world.cohort("left", "all");
  world.cohort("right", "all");
  world.cohort("all", "", {{.nominal = 100}});
  world.build();
  world.share_fairly();
  world.use(a, world.cell("main"), 30);
  world.use(c, world.cell("main"), 20);
  // b has nothing, but its cohort has more than c's.
  world.turn(b, "b", 10, {.priority = 5});
  world.turn(c, "c", 10);
  EXPECT_EQ(world.first(), "c");
}

TEST(TurnOrder, QueuesOfDifferentTreesCompareByTheirOrder) {
  TurnsWorld world;
  ClusterQueueId a = world.queue("a", "", {{.nominal = 10}});
  ClusterQueueId b = world.queue("b", "", {{.nominal = 10}});
  world.build();
  world.share_fairly();
  world.turn(a, "early", 5, {.queued = 1});
  world.turn(a, "first", 5, {.priority = 1, .queued = 3});
  world.turn(b, "late", 5, {.priority = 1, .queued = 4});
  EXPECT_EQ(world.order(), (Names{"first", "late", "early"}));
}

}  // namespace
}  // namespace trellis::turn_order_test
