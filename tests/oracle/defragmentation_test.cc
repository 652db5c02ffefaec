// Plans of moves against exhaustive search: over all sets of movable gangs and all their places, no
// fewer moves gain as much as the plan does, and few gain more. The worth of the room is computed
// here from the free GPUs alone.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "actions/defragmentation/move_plan.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::defragmentation_test {
namespace {

struct SmallGang {
  std::string name;
  int64_t gpus = 1;           // of each pod
  std::vector<size_t> nodes;  // of the pods
  bool movable = false;
};

class SmallCluster {
 public:
  explicit SmallCluster(uint64_t seed) : random_(seed) {
    world.topology("t", {"rack", "node"});
    size_t nodes = 3 + random_.below(3);
    for (size_t i = 0; i < nodes; ++i) {
      std::string name = "n" + std::to_string(i);
      free_.push_back(random_.chance(70) ? 4 : 8);
      world.node(name, {.gpu = free_.back(),
                        .labels = {{"rack", "r" + std::to_string(i % 2)}, {"node", name}}});
    }
    size_t gangs = 3 + random_.below(5);
    for (size_t i = 0; i < gangs; ++i) add_gang("g" + std::to_string(i));
    for (int64_t size : {2, 4}) {
      if (!random_.chance(70)) continue;
      int32_t pods = 1 + static_cast<int32_t>(random_.below(6));
      mix_[size] += pods;
      world.gang("want" + std::to_string(size), {.count = pods, .pod = {.gpu = size}});
    }
  }

  // Worth of the room in GPUs, times the pods of the mix.
  int64_t worth() const {
    int64_t pods = 0;
    int64_t usable = 0;
    int64_t largest_rack = 0;
    int64_t largest_node = 0;
    for (const auto& [size, count] : mix_) {
      pods += count;
      int64_t racks[2] = {0, 0};
      for (size_t i = 0; i < free_.size(); ++i) {
        int64_t there = free_[i] / size * size;
        usable += count * there;
        racks[i % 2] += there;
        largest_node = std::max(largest_node, there);
      }
      largest_rack = std::max({largest_rack, racks[0], racks[1]});
    }
    return pods * (largest_rack + largest_node) + usable;
  }

  // The most that at most `moves` moves gain.
  int64_t best_gain(size_t moves) {
    best_ = 0;
    start_ = worth();
    std::vector<size_t> chosen;
    choose(0, moves, chosen);
    return best_;
  }

  World world;

 private:
  void add_gang(const std::string& name) {
    SmallGang gang{.name = name, .gpus = random_.between(1, 3), .nodes = {}};
    size_t pods = random_.chance(25) ? 2 : 1;
    for (size_t i = 0; i < pods; ++i) {
      size_t node = random_.below(static_cast<uint32_t>(free_.size()));
      if (free_[node] < gang.gpus) break;
      free_[node] -= gang.gpus;
      gang.nodes.push_back(node);
    }
    if (gang.nodes.empty()) return;
    gang.movable = random_.chance(75);
    mix_[gang.gpus] += static_cast<int64_t>(gang.nodes.size());
    world.gang(name, {.min_member = static_cast<int32_t>(gang.nodes.size())});
    for (size_t i = 0; i < gang.nodes.size(); ++i) {
      world.pod(name + "-" + std::to_string(i), name,
                {.gpu = gang.gpus, .node = "n" + std::to_string(gang.nodes[i])});
    }
    Gang record = world.cluster.gangs()[world.gang_id(name)];
    record.movable = gang.movable;
    world.cluster.upsert(std::move(record));
    if (gang.movable) movable_.push_back(std::move(gang));
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the moves.
  void choose(size_t from, size_t moves, std::vector<size_t>& chosen) {
    if (!chosen.empty()) {
      for (size_t i : chosen) shift(movable_[i], 1);
      put(chosen, 0, 0);
      for (size_t i : chosen) shift(movable_[i], -1);
    }
    if (chosen.size() == moves) return;
    for (size_t i = from; i < movable_.size(); ++i) {
      chosen.push_back(i);
      choose(i + 1, moves, chosen);
      chosen.pop_back();
    }
  }

  void shift(const SmallGang& gang, int64_t sign) {
    for (size_t node : gang.nodes) free_[node] += sign * gang.gpus;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the pods that move.
  void put(const std::vector<size_t>& chosen, size_t at, size_t pod) {
    if (at == chosen.size()) {
      best_ = std::max(best_, worth() - start_);
      return;
    }
    const SmallGang& gang = movable_[chosen[at]];
    if (pod == gang.nodes.size()) return put(chosen, at + 1, 0);
    for (int64_t& free : free_) {
      if (free < gang.gpus) continue;
      free -= gang.gpus;
      put(chosen, at, pod + 1);
      free += gang.gpus;
    }
  }

  Random random_;
  std::vector<int64_t> free_;       // GPUs, by node
  std::map<int64_t, int64_t> mix_;  // pods by the GPUs that each requests
  std::vector<SmallGang> movable_;
  int64_t best_ = 0;
  int64_t start_ = 0;
};

struct Tally {
  int64_t plans = 0;   // that move something
  int64_t fewest = 0;  // of them, with as few moves as gain as much
  int64_t best = 0;    // of all cases, those where up to three moves gain no more
  int64_t cases = 0;
  int64_t gained = 0;  // by plans of up to three moves
  int64_t possible = 0;
};

void check(uint64_t seed, Tally& tally) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  SmallCluster small(seed);
  Session& session = small.world.scheduler().open(0);
  RoomGauge gauge(session);
  ASSERT_EQ(gauge.worth(), 1000 * small.worth());
  int64_t before = gauge.worth();
  MovePlan plan = plan_moves(session, {.moved_milli = kMaxAmount, .min_gain = 0});
  int64_t gain = (gauge.worth() - before) / 1000;
  session.statement().rollback();
  ASSERT_EQ(gauge.worth(), before);
  size_t moves = 0;
  for (const PlacedSet& set : plan.sets) moves += set.size();
  ASSERT_EQ(moves == 0, gain == 0);
  ++tally.cases;
  int64_t most = small.best_gain(3);
  if (gain >= most) ++tally.best;
  tally.gained += std::min(gain, most);
  tally.possible += most;
  if (moves == 0) return;
  ++tally.plans;
  if (moves == 1 || small.best_gain(moves - 1) < gain) ++tally.fewest;
}

TEST(DefragmentationOracle, PlansWithAsFewMovesAsExhaustiveSearch) {
  Tally tally;
  uint64_t cases = long_run(300, 5000);
  for (uint64_t seed = 1; seed <= cases && !HasFatalFailure(); ++seed) check(seed, tally);
  RecordProperty("plans", std::to_string(tally.plans));
  std::printf(
      "%lld plans in %lld cases: %lld with the fewest moves; in %lld cases three moves gain no "
      "more; %lld of %lld gained\n",
      static_cast<long long>(tally.plans), static_cast<long long>(tally.cases),
      static_cast<long long>(tally.fewest), static_cast<long long>(tally.best),
      static_cast<long long>(tally.gained), static_cast<long long>(tally.possible));
  EXPECT_GT(tally.plans, tally.cases / 4);
  EXPECT_GE(100 * tally.fewest, 95 * tally.plans);
  EXPECT_GE(100 * tally.gained, 95 * tally.possible);
}

}  // namespace
}  // namespace trellis::oracle::defragmentation_test
