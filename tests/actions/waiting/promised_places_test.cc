#include "actions/waiting/promised_places.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/support/world.h"

namespace trellis::promised_places_test {
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

// Pods of the gang run in r1 and r2: nodes got other labels.
struct Torn : World {
  Torn() {
    config.actions = {"allocate"};
    topology("t", {"rack"});
    for (const char* rack : {"r1", "r2", "r3"}) {
      for (const char* number : {"-1", "-2"}) {
        node(std::string(rack) + number, {.cpu = 1, .labels = {{"rack", rack}}});
      }
    }
    gang("g", {.min_member = 2, .topology = "t", .required = "rack"});
    pod("g-0", "g", {.node = "r1-1"});
    pod("g-1", "g", {.node = "r2-1"});
    pod("g-2", "g");
    pod("g-3", "g");
  }
};

TEST(PromisedPlaces, AreKeptWhereTheGangRunsThoughInTwoRequiredDomains) {
  Torn world;
  world.cluster.set_promise(world.pod_id("g-2"), world.node_id("r2-2"));
  world.cluster.set_promise(world.pod_id("g-3"), world.node_id("r1-2"));
  world.gang("first", {.count = 4, .priority = 200});
  world.cycle();
  EXPECT_EQ(world.node_of("g-2"), "r2-2");
  EXPECT_EQ(world.node_of("g-3"), "r1-2");
}

TEST(PromisedPlaces, AreNotKeptWhereTheGangDoesNotRun) {
  Torn world;
  world.cluster.set_promise(world.pod_id("g-2"), world.node_id("r3-1"));
  world.cycle();
  EXPECT_EQ(world.node_of("g-2"), "r1-2");
  EXPECT_EQ(world.node_of("g-3"), "r2-2");
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

// Each takes parts of two devices. If each took the devices that are fullest, four pods would fill
// two of the three, and the fifth would not fit where it was promised a place.
TEST(PromisedPlaces, OfOneGangLeaveDevicesForThoseOfTheNext) {
  World world;
  world.config.actions = {"allocate"};
  world.node("n1", {.gpu = 3});
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    world.gang(name);
    world.pod(name, name, {.share = {.milli = 250, .devices = 2}});
    world.cluster.set_promise(world.pod_id(name), world.node_id("n1"));
  }
  world.cycle();
  for (const char* name : {"a", "b", "c", "d", "e"}) EXPECT_EQ(world.node_of(name), "n1") << name;
}

// The first would take the two devices with room, and open a third one for no need.
TEST(PromisedPlaces, OfPartsLeaveWholeDevicesToOthers) {
  World world;
  world.config.actions = {"allocate"};
  world.node("n1", {.gpu = 4});
  const ShareArgs share = {.milli = 250, .devices = 2};
  for (const char* name : {"r1", "r2", "r3"}) {
    world.gang(name);
    world.pod(name, name, {.share = share, .node = "n1", .gpu_groups = {"0", "1"}});
  }
  for (const char* name : {"a", "b", "whole"}) {
    world.gang(name);
    world.pod(name, name, name[0] == 'w' ? PodArgs{.gpu = 1} : PodArgs{.share = share});
    world.cluster.set_promise(world.pod_id(name), world.node_id("n1"));
  }
  world.cycle();
  for (const char* name : {"a", "b", "whole"}) EXPECT_EQ(world.node_of(name), "n1") << name;
}

// Of three devices one is full and one has a third: the half takes the whole one, so that two have
// room for a pod on two devices. The half comes first in the queue, and would take the third's
// rest.
TEST(PromisedPlaces, OfPartsOfManyDevicesComeFirst) {
  World world;
  world.config.actions = {"allocate"};
  world.node("n1", {.gpu = 3});
  auto runs = [&](const char* name, int milli, const char* device) {
    world.gang(name);
    world.pod(name, name, {.share = {.milli = milli}, .node = "n1", .gpu_groups = {device}});
  };
  runs("full", 1000, "0");
  runs("third", 340, "1");
  world.gang("a");
  world.pod("a", "a", {.share = {.milli = 500}});
  world.gang("b");
  world.pod("b", "b", {.share = {.milli = 250, .devices = 2}});
  for (const char* name : {"a", "b"}) {
    world.cluster.set_promise(world.pod_id(name), world.node_id("n1"));
  }
  world.cycle();
  for (const char* name : {"a", "b"}) EXPECT_EQ(world.node_of(name), "n1") << name;
}

}  // namespace
}  // namespace trellis::promised_places_test
