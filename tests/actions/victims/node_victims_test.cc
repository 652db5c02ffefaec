#include "actions/victims/node_victims.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::node_victims_test {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

// Names of the pods that make room on node n for the gang `wanted`, which preempts.
std::vector<std::string> victims(World& world) {
  Session& session = world.scheduler().open(0);
  VictimPool pool(session);
  VictimSet set(session, pool);
  MoveRequest request;
  request.gang = world.gang_id("wanted");
  pool.serve(request);
  set.serve(request);
  PodClassId pod_class = session.snapshot().key(world.pod_id("wanted-0")).pod_class;
  std::vector<std::string> names;
  auto found = NodeVictimFinder(session, pool, set).find(pod_class, world.node_id("n"));
  if (!found) return names;
  for (const VictimUnit& unit : found->units) {
    for (PodId pod : unit.pods) names.push_back(world.cluster.pods()[pod].pod.name);
  }
  return names;
}

TEST(NodeVictims, OfAGangThatShrinksTheLastRanksLeaveFirst) {
  World world;
  world.node("n", {.gpu = 3});
  world.gang(
      "g",
      {.min_member = 1, .count = 3, .pod = {.gpu = 1, .node = "n", .status = PodStatus::Running}});
  world.gang("wanted", {.count = 1, .pod = {.gpu = 1}, .priority = 90});
  EXPECT_THAT(victims(world), ElementsAre("g-2"));
}

TEST(NodeVictims, OfEqualSubgroupsTheLastShrinksFirst) {
  World world;
  world.node("n", {.gpu = 4});
  world.gang("g", {.min_member = 2, .subgroups = {{.name = "a"}, {.name = "b"}}});
  for (const char* name : {"a", "b"}) {
    for (const char* number : {"0", "1"}) {
      world.pod(std::string(name) + number, "g",
                {.gpu = 1, .node = "n", .status = PodStatus::Running, .subgroup = name});
    }
  }
  world.gang("wanted", {.count = 1, .pod = {.gpu = 1}, .priority = 90});
  EXPECT_THAT(victims(world), ElementsAre("b1"));
}

// Three GPUs: two gangs of two are fewer than three of one.
TEST(NodeVictims, ThoseThatGiveMostLeaveFirst) {
  World world;
  world.node("n", {.gpu = 7});
  for (const char* name : {"large1", "large2", "small1", "small2", "small3"}) {
    int64_t gpus = name[0] == 'l' ? 2 : 1;
    world.gang(name, {.count = 1, .pod = {.gpu = gpus, .node = "n", .status = PodStatus::Running}});
  }
  world.gang("wanted", {.count = 1, .pod = {.gpu = 3}, .priority = 90});
  EXPECT_THAT(victims(world), UnorderedElementsAre("large1-0", "large2-0"));
}

}  // namespace
}  // namespace trellis::node_victims_test
