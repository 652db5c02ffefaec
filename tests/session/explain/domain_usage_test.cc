#include <gtest/gtest.h>

#include "session/explain/room.h"
#include "session/explain/topology_report.h"
#include "tests/support/world.h"

namespace trellis::domain_usage_test {
namespace {

// What the columns say of a domain is what is found by asking each of its nodes.
TEST(DomainUsage, IsTheSumOfTheNodes) {
  World world;
  world.topology("t", {"block", "rack"});
  for (int i = 0; i < 12; ++i) {
    LabelMap labels = {{"block", "b" + std::to_string(i / 6)}};
    if (i % 5 != 0) labels["rack"] = "r" + std::to_string(i / 3);  // some hang on their block
    world.node("n" + std::to_string(i), {.cpu = 4.0 + i, .gpu = i % 4, .labels = labels});
  }
  world.gang("whole", {.count = 5, .pod = {.cpu = 2, .gpu = 1}});
  world.gang("part", {.count = 3, .pod = {.share = {.milli = 500}}});
  world.cycle();

  Session& session = world.scheduler().session();
  TopologyId topology = world.cluster.find_topology("t");
  const TopologyTree& tree = session.snapshot().trees()[topology];
  DomainUsage usage = measure_usage(session, topology);
  for (uint32_t i = 0; i < tree.domain_count(); ++i) {
    DomainId domain(i);
    for (const ResourceRoom& room : room_on(session, tree.nodes(domain))) {
      EXPECT_EQ(usage.available[room.resource][domain], room.now);
      EXPECT_EQ(usage.unavailable[room.resource][domain], room.unavailable);
      EXPECT_EQ(usage.allocated[room.resource][domain], room.used());
    }
  }
  int64_t allocated_gpus = usage.allocated[kGpu][tree.root()];
  EXPECT_EQ(allocated_gpus, 5 * kMilli + 3 * kMilli / 2);
}

}  // namespace
}  // namespace trellis::domain_usage_test
