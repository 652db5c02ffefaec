#include "session/placement/promised_places.h"

#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace trellis {
namespace {

// A promise from before the gang asked for one rack.
TEST(PromisedPlaces, AreNotKeptAcrossRequiredDomains) {
  World world;
  world.config.actions = {"allocate"};
  world.topology("t", {"rack"});
  world.node("n1", {.cpu = 1, .labels = {{"rack", "r1"}}});
  world.node("n2", {.cpu = 1, .labels = {{"rack", "r2"}}});
  world.node("n3", {.cpu = 2, .labels = {{"rack", "r3"}}});
  world.gang("g", {.count = 2, .topology = "t", .required = "rack"});
  world.cluster.set_promise(world.pod_id("g-0"), world.node_id("n1"));
  world.cluster.set_promise(world.pod_id("g-1"), world.node_id("n2"));
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "n3");
  EXPECT_EQ(world.node_of("g-1"), "n3");
}

TEST(PromisedPlaces, AreKeptBeforeAnythingNew) {
  World world;
  world.config.actions = {"allocate"};
  for (const char* name : {"n1", "n2"}) world.node(name, {.cpu = 1});
  world.gang("first", {.count = 1, .created = 1});
  world.gang("promised", {.count = 1, .created = 2});
  world.cluster.set_promise(world.pod_id("promised-0"), world.node_id("n1"));
  world.cycle();
  EXPECT_EQ(world.node_of("promised-0"), "n1");
  EXPECT_EQ(world.node_of("first-0"), "n2");
}

}  // namespace
}  // namespace trellis
