#include "server/view/cycle_tally.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "server/serve/history.h"
#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::cycle_tally_test {
namespace {

std::string text_of(const CycleTally& tally) {
  CycleSummary sums = tally.summary();
  std::string text;
  for (int64_t sum : {sums.gangs, sums.gangs_placed, sums.pods, sums.pods_placed, sums.pods_evicted,
                      sums.nodes, sums.gpus, sums.gpus_used, sums.gpus_closed, sums.domains,
                      tally.gangs_waiting(), tally.workloads_waiting()}) {
    text += std::to_string(sum) + " ";
  }
  for (const auto& [code, gangs] : tally.waiting()) {
    if (gangs > 0) text += std::string(to_string(code)) + " " + std::to_string(gangs) + " ";
  }
  return text;
}

// Gangs and nodes that come, grow and go.
void tally_both_ways(uint64_t seed) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  SeedGuard guard(seed);
  Random random(seed);
  World world;
  world.topology("t", {"rack"});
  CycleTally tally;
  for (int step = 0; step < 12; ++step) {
    for (int i = 0; i < 3; ++i) {
      std::string number = std::to_string(random.below(6));
      if (random.below(5) == 0) {
        world.cluster.remove_node("n" + number);
      } else if (NodeId node = world.cluster.find_node("n" + number);
                 node.valid() && random.below(4) == 0) {
        Node closed = world.cluster.nodes()[node];
        closed.unschedulable = !closed.unschedulable;
        world.cluster.upsert(std::move(closed));
      } else if (random.below(2) == 0) {
        world.node("n" + number, {.cpu = 4,
                                  .gpu = static_cast<int>(random.below(5)),
                                  .labels = {{"rack", "r" + std::to_string(random.below(3))}}});
      } else {
        world.gang("g" + number, {.count = 1 + static_cast<int>(random.below(4)),
                                  .pod = {.cpu = 1},
                                  .topology = random.below(2) == 0 ? "t" : "",
                                  .preferred = random.below(2) == 0 ? "rack" : ""});
      }
    }
    const CycleRecord& record = world.cycle(step);
    tally.take(world.cluster, record);
    CycleTally recounted;
    recounted.take_whole(world.cluster, record);
    ASSERT_EQ(text_of(tally), text_of(recounted)) << "step " << step;
    if (random.below(2) == 0) world.pass_time();
  }
}

TEST(CycleTally, CarriedAlongItEqualsARecount) {
  uint64_t seeds = long_run(300, 10'000);
  for (uint64_t seed = 1; seed <= seeds && !testing::Test::HasFailure(); ++seed) {
    tally_both_ways(seed);
  }
}

// A history of the cycles of a world in which `gangs` gangs are placed, again and again.
void fill_history(History& history, int gangs, int64_t cycles) {
  World world;
  world.node("n", {.cpu = 1000});
  for (int i = 0; i < gangs; ++i)
    world.gang("g" + std::to_string(i), {.count = 1, .pod = {.cpu = 1}});
  FinishedCycle cycle;
  cycle.record = std::make_shared<const CycleRecord>(world.cycle(0));
  CycleTally tally;
  tally.take_whole(world.cluster, *cycle.record);
  for (cycle.number = 1; cycle.number <= cycles; ++cycle.number) {
    cycle.cluster_number = cycle.number;  // so that equal decisions are news
    history.take(cycle, world.cluster, tally);
  }
}

TEST(History, KeepsTheLastThousandCyclesAndEvents) {
  History history;
  fill_history(history, 2, 1500);
  History::Part all = history.after(0, 5000);
  ASSERT_EQ(all.cycles.size(), History::kCycles);
  EXPECT_EQ(all.cycles.front().number, 501);
  EXPECT_EQ(all.cycles.back().number, 1500);
  ASSERT_EQ(all.events.size(), History::kEvents);
  EXPECT_EQ(all.events.front().cycle, 1001);
  EXPECT_EQ(all.events.back().cycle, 1500);
  History::Part last = history.after(1498, 1);
  ASSERT_EQ(last.cycles.size(), 1U);
  EXPECT_EQ(last.cycles[0].number, 1500);
  EXPECT_EQ(last.cycles[0].bound, 2);
  EXPECT_EQ(last.cycles[0].pods_placed, 2);
  ASSERT_EQ(last.events.size(), 1U);
  EXPECT_EQ(last.events[0].what, "placed");
  EXPECT_TRUE(history.after(1500, 5000).cycles.empty());
}

TEST(History, KeepsAFewEventsOfACycleAndCountsAll) {
  History history;
  fill_history(history, 50, 1);
  History::Part all = history.after(0, 5000);
  ASSERT_EQ(all.cycles.size(), 1U);
  EXPECT_EQ(all.cycles[0].events, 50);
  EXPECT_EQ(all.events.size(), History::kEventsOfCycle);
}

}  // namespace
}  // namespace trellis::cycle_tally_test
