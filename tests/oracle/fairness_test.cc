// After a cycle no queue is further from its fair share than one gang, unless a reason says why.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/queue_tree.h"
#include "session/placement/gang_needs.h"
#include "tests/support/long_run.h"
#include "tests/support/queues.h"
#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::oracle::fairness_test {
namespace {

// One large node, so that only queues stand between a gang and its place; half of the gangs are of
// one GPU, so that nothing is lost to gaps.
class FairWorld {
 public:
  explicit FairWorld(uint64_t seed) : random_(seed) {
    world_.config.actions = {"allocate"};
    gpus_ = random_.between(4, 40);
    world_.node("n", {.cpu = 1000, .memory_gib = 4000, .pods = 1000, .gpu = gpus_});
    int64_t queues = random_.between(2, 8);
    for (int64_t i = 0; i < queues; ++i) {
      QueueArgs args{.gpu_quota = static_cast<double>(random_.below(5)),
                     .gpu_limit = random_.chance(20) ? static_cast<double>(random_.below(8)) : -1,
                     .gpu_weight = static_cast<double>(1 + random_.below(3)),
                     .priority = random_.chance(80) ? 100 : 200};
      if (i > 0 && random_.chance(40))
        args.parent = name_of(random_.below(static_cast<uint32_t>(i)));
      add_queue(world_.cluster, name_of(i), args);
    }
    for (int i = 0; i < 60; ++i) {
      int64_t size = random_.chance(50) ? 1 : random_.between(1, 4);
      largest_ = std::max(largest_, size);
      world_.gang("g" + std::to_string(i),
                  {.count = 1,
                   .pod = {.cpu = 1, .memory_gib = 1, .gpu = size},
                   .created = random_.between(0, 9),
                   .queue = name_of(random_.below(static_cast<uint32_t>(queues)))});
    }
  }

  void check() {
    world_.cycle();
    Session& session = this->session();
    const QueueLedger& queues = session.snapshot().queues();
    for (GangId gang : world_.cluster.gangs_by_name()) {
      QueueId leaf = *queues.queue_of_gang()[gang];
      if (session.snapshot().gang_counts()[gang].waiting == 0) continue;
      const std::vector<Reason>& reasons = world_.record().gangs[gang].reasons;
      ASSERT_FALSE(reasons.empty());
      if (reasons.front().code != ReasonCode::NodesNoFit) continue;  // its queue is the reason
      ASSERT_TRUE(queues.tree().is_leaf(leaf));
      int64_t need = next_amounts(session, gang)[QueueResource::Gpu];
      for (QueueId at = leaf; at.valid(); at = queues.tree().parent(at)) check_queue(at, need);
    }
  }

 private:
  static std::string name_of(int64_t i) { return "q" + std::to_string(i); }

  // What it lacks is less than one gang of its own, or one that another queue was given before.
  void check_queue(QueueId queue, int64_t need) {
    if (is_over_promised(queue)) return;
    int64_t held = session().snapshot().queues().use()[queue].allocated[QueueResource::Gpu];
    EXPECT_GT(held + std::max(need, largest_ * kMilli), fair_share(queue))
        << world_.cluster.queues()[queue].name;
  }

  // Somewhere above it quotas add up to more than there is.
  bool is_over_promised(QueueId queue) {
    const QueueTree& tree = session().snapshot().queues().tree();
    while (queue.valid()) {
      queue = tree.parent(queue);
      int64_t sum = 0;
      for (QueueId child : tree.children(queue)) sum += fair_share(child);
      if (sum > (queue.valid() ? fair_share(queue) : gpus_ * kMilli)) return true;
    }
    return false;
  }

  Session& session() { return world_.scheduler().session(); }
  int64_t fair_share(QueueId queue) {
    return session().hooks().queue_rules->figures(queue).fair_share[QueueResource::Gpu];
  }

  Random random_;
  World world_;
  int64_t gpus_ = 0;
  int64_t largest_ = 1;
};

TEST(Fairness, NoQueueWithGangsThatFitIsFurtherFromItsShareThanOneGang) {
  uint64_t worlds = long_run(400, 20'000);
  for (uint64_t seed = 1; seed <= worlds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    FairWorld(seed).check();
    if (::testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace trellis::oracle::fairness_test
