#include "server/writeback/device_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/world.h"

namespace trellis::device_names_test {
namespace {

using testing::ElementsAre;

struct TwoNodes : World {
  TwoNodes() {
    for (const char* name : {"n1", "n2"}) node(name, {.gpu = 4});
    runs = pod("runs", "", {.share = {.milli = 500}, .node = "n1", .gpu_groups = {"own"}});
    comes = pod("comes", "", {.share = {.milli = 300}});
    cycle();
  }

  std::vector<std::string> names_of_newcomer(const CycleRecord& before, PodOutcome outcome) {
    CycleRecord record = before;
    record.pods.own(comes) = outcome;
    return DeviceNames(cluster, record).of(outcome);
  }

  PodId runs;
  PodId comes;
};

PodOutcome on(NodeId node, PodStatus status, int32_t device) {
  PodOutcome outcome;
  outcome.status = status;
  outcome.node = node;
  outcome.gpus = {{device, 300}};
  return outcome;
}

TEST(DeviceNames, AreThoseOfThePodsThatStay) {
  TwoNodes world;
  CycleRecord record = world.record();
  record.pods.own(world.runs) = on(world.node_id("n1"), PodStatus::Running, 2);
  EXPECT_THAT(world.names_of_newcomer(record, on(world.node_id("n1"), PodStatus::Bound, 2)),
              ElementsAre("own"));
  EXPECT_THAT(world.names_of_newcomer(record, on(world.node_id("n1"), PodStatus::Bound, 1)),
              ElementsAre("1"));
}

// What the pod is called after on n1 is no device of the node that it moves to.
TEST(DeviceNames, AreNotThoseOfPodsThatMove) {
  TwoNodes world;
  CycleRecord record = world.record();
  for (const char* node : {"n1", "n2"}) {
    record.pods.own(world.runs) = on(world.node_id(node), PodStatus::Pipelined, 2);
    EXPECT_THAT(world.names_of_newcomer(record, on(world.node_id(node), PodStatus::Bound, 2)),
                ElementsAre("2"));
  }
}

}  // namespace
}  // namespace trellis::device_names_test
