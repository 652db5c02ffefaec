#include "session/explain/nodes_wanted.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::nodes_wanted_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> wanted(World& world) {
  std::vector<std::string> texts;
  for (const NodesWanted& one : nodes_wanted(world.scheduler().session(), world.record())) {
    std::string text = std::to_string(one.nodes) + " in " + one.topology;
    for (const std::string& part : one.domain) text += "/" + part;
    texts.push_back(text);
  }
  return texts;
}

// An empty node takes four such pods, and seven are missing.
TEST(NodesWanted, AsIfTheyWereEmptyAndLikeTheBest) {
  World world;
  world.node("large", {.gpu = 4});
  world.node("small", {.gpu = 1});
  world.gang("old", {.count = 1, .pod = {.gpu = 3}});
  world.cycle();
  EXPECT_THAT(wanted(world), IsEmpty());
  world.pass_time();
  world.gang("g", {.count = 9, .pod = {.gpu = 1}});
  world.cycle();
  EXPECT_THAT(wanted(world), ElementsAre("2 in "));
}

TEST(NodesWanted, WhereNoNodeWouldDoEachPodWantsOne) {
  World world;
  world.node("n", {.gpu = 1});
  world.gang("g", {.count = 3, .pod = {.gpu = 8}});
  world.cycle();
  EXPECT_THAT(wanted(world), ElementsAre("3 in "));
}

TEST(NodesWanted, ByDomainAndOfAllGangs) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.gpu = 2, .labels = {{"rack", "r1"}}});
  world.node("b", {.gpu = 1, .labels = {{"rack", "r2"}}});
  for (const char* name : {"g", "h"}) {
    world.gang(name, {.count = 4, .pod = {.gpu = 1}, .topology = "t", .required = "rack"});
  }
  world.cycle();
  EXPECT_THAT(wanted(world), ElementsAre("2 in t/r1"));
}

// More nodes would not help it.
TEST(NodesWanted, NotForAGangThatWaitsForSomethingElse) {
  World world;
  world.node("n", {.gpu = 1});
  world.gang("g", {.min_member = 2, .count = 1});
  world.cycle();
  EXPECT_THAT(wanted(world), IsEmpty());
}

}  // namespace
}  // namespace trellis::nodes_wanted_test
