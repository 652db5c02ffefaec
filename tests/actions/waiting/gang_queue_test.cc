#include "actions/waiting/gang_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/queue_tree.h"
#include "session/placement/gang_needs.h"
#include "tests/support/queues.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::gang_queue_test {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> pop_all(const Session& session, GangQueue& queue) {
  std::vector<std::string> names;
  while (!queue.empty()) names.push_back(session.cluster().gangs()[queue.pop()].name);
  return names;
}

TEST(GangQueue, WithoutQueuesThereIsOneOrder) {
  World world;
  world.gang("b", {.count = 1, .created = 1});
  world.gang("a", {.count = 1, .created = 2});
  world.gang("c", {.count = 1, .priority = 90, .created = 3});
  Session& session = world.scheduler().open(0);
  GangQueue queue(session);
  for (const char* name : {"a", "b", "c"}) queue.push(world.gang_id(name));
  EXPECT_THAT(pop_all(session, queue), ElementsAre("c", "b", "a"));
}

TEST(GangQueue, PriorityCountsInsideAQueueOnly) {
  World world;
  world.node("n", {.gpu = 8});
  add_queue(world.cluster, "a", {.gpu_quota = 4, .created = 1});
  add_queue(world.cluster, "b", {.gpu_quota = 4, .created = 2});
  world.gang("low", {.count = 1, .pod = {.gpu = 1}, .priority = 10, .queue = "a"});
  world.gang("high", {.count = 1, .pod = {.gpu = 1}, .priority = 90, .queue = "b"});
  world.gang("higher", {.count = 1, .pod = {.gpu = 1}, .priority = 95, .queue = "b"});
  Session& session = world.scheduler().open(0);
  GangQueue queue(session);
  for (const char* name : {"low", "high", "higher"}) queue.push(world.gang_id(name));
  EXPECT_THAT(pop_all(session, queue), ElementsAre("low", "higher", "high"));
}

// Pops and places until nothing waits, changing the amounts of several queues at times. Each pop
// must be the gang that a full scan would choose.
class RandomQueues {
 public:
  explicit RandomQueues(uint64_t seed) : random_(seed) {
    world_.node("n", {.cpu = 10'000, .memory_gib = 100'000, .pods = 10'000, .gpu = 500});
    int64_t queues = random_.between(2, 20);
    for (int64_t i = 0; i < queues; ++i) {
      QueueArgs args{.gpu_quota = static_cast<double>(random_.below(6)),
                     .gpu_weight = static_cast<double>(random_.below(3)),
                     .priority = random_.chance(80) ? 100 : 200,
                     .created = random_.between(0, 3)};
      if (i > 1 && random_.chance(60)) {
        args.parent = "q" + std::to_string(random_.below(static_cast<uint32_t>(i)));
      }
      add_queue(world_.cluster, "q" + std::to_string(i), args);
    }
    for (int i = 0; i < 40; ++i) {
      std::string in = "q" + std::to_string(random_.below(static_cast<uint32_t>(queues)));
      bool runs = random_.chance(25);
      world_.gang("g" + std::to_string(i),
                  {.count = static_cast<int32_t>(random_.between(1, 3)),
                   .pod = {.gpu = random_.between(0, 2), .node = runs ? "n" : ""},
                   .priority = static_cast<int32_t>(random_.below(3)),
                   .created = random_.between(0, 5),
                   .queue = random_.chance(10) ? "" : in});
    }
    session_ = &world_.scheduler().open(0);
    tree_ = &session_->snapshot().queues().tree();
  }

  void run() {
    GangQueue queue(*session_);
    for (GangId gang : world_.cluster.gangs_by_name()) {
      QueueId leaf = *session_->snapshot().queues().queue_of_gang()[gang];
      bool waits = session_->snapshot().gang_counts()[gang].waiting > 0;
      if (!waits || !leaf.valid() || !tree_->is_leaf(leaf)) continue;
      queue.push(gang);
      waiting_.push_back(gang);
      gangs_.push_back(gang);
    }
    while (!queue.empty()) {
      GangId expected = first_by_scan();
      ASSERT_EQ(queue.next(), expected);
      GangId gang = queue.pop();
      ASSERT_EQ(world_.cluster.gangs()[gang].name, world_.cluster.gangs()[expected].name);
      std::erase(waiting_, gang);
      check_turn(queue, gang);
      GangId any = random_.pick(gangs_);
      if (leaf_of(any) == leaf_of(gang)) check_turn(queue, any);
      if (random_.chance(70)) place(queue, gang);
      while (random_.chance(20)) evict(queue);
    }
    EXPECT_TRUE(waiting_.empty());
  }

 private:
  QueueId leaf_of(GangId gang) const {
    return *session_->snapshot().queues().queue_of_gang()[gang];
  }

  // As if the gang were the only one of its queue.
  void check_turn(const GangQueue& queue, GangId gang) {
    std::vector<GangId> kept = waiting_;
    std::erase_if(waiting_, [&](GangId other) { return leaf_of(other) == leaf_of(gang); });
    waiting_.push_back(gang);
    EXPECT_EQ(queue.has_turn(gang), first_by_scan() == gang);
    waiting_ = kept;
  }

  void place(GangQueue& queue, GangId gang) {
    for (PodId pod : session_->waiting_pods(gang)) {
      session_->statement().place_on(pod, world_.node_id("n"), FitMode::Now, {});
    }
    placed_.push_back(gang);
    queue.settle(gang);
  }

  void evict(GangQueue& queue) {
    if (placed_.empty()) return;
    GangId gang = random_.pick(placed_);
    std::erase(placed_, gang);
    for (PodId pod : session_->cluster().pods_of(gang)) session_->statement().evict(pod, gang);
    queue.settle(gang);
  }

  bool is_below(QueueId queue, QueueId above) const {
    while (queue.valid() && queue != above) queue = tree_->parent(queue);
    return queue == above;
  }

  // The waiting gang below a queue that goes before the others there.
  GangId best_below(QueueId queue) const {
    if (!tree_->is_leaf(queue)) return best_of(tree_->children(queue));
    GangId best;
    for (GangId gang : waiting_) {
      if (!is_below(*session_->snapshot().queues().queue_of_gang()[gang], queue)) continue;
      if (!best.valid() || session_->gang_before(gang, best)) best = gang;
    }
    return best;
  }

  GangId best_of(std::span<const QueueId> siblings) const {
    QueueId chosen;
    GangId best;
    for (QueueId queue : siblings) {
      GangId gang = best_below(queue);
      if (!gang.valid()) continue;
      if (best.valid()) {
        QueueAmounts need = next_amounts(*session_, gang);
        QueueAmounts other = next_amounts(*session_, best);
        const QueueRules& rules = *session_->hooks().queue_rules;
        if (rules.compare({queue, gang, &need}, {chosen, best, &other}) >= 0) continue;
      }
      chosen = queue;
      best = gang;
    }
    return best;
  }

  GangId first_by_scan() const { return best_of(tree_->children(QueueId())); }

  Random random_;
  World world_;
  Session* session_ = nullptr;
  const QueueTree* tree_ = nullptr;
  std::vector<GangId> gangs_;  // all
  std::vector<GangId> waiting_;
  std::vector<GangId> placed_;
};

TEST(GangQueue, PopsWhatAFullScanWouldChoose) {
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomQueues(seed).run();
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(NeedAmounts, AreTheSmallestPodsThatMakeUpTheNumber) {
  World world;
  add_queue(world.cluster, "q");
  world.gang("g", {.min_member = 2, .queue = "q"});
  world.pod("g-0", "g", {.cpu = 4, .memory_gib = 1, .gpu = 1});
  world.pod("g-1", "g", {.cpu = 1, .memory_gib = 2, .gpu = 4});
  world.pod("g-2", "g", {.cpu = 2, .memory_gib = 3, .gpu = 2});
  Session& session = world.scheduler().open(0);
  QueueAmounts need = need_amounts(session, world.gang_id("g"), {{-1, 2}});
  EXPECT_EQ(need, (QueueAmounts{{3 * kMilli, 3000, int64_t{3} << 30}}));
  EXPECT_EQ(next_amounts(session, world.gang_id("g")), need);
}

}  // namespace
}  // namespace trellis::gang_queue_test
