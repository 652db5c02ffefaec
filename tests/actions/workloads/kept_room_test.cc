#include "actions/workloads/kept_room.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "tests/actions/workloads/workload_hall.h"

namespace trellis::kept_room_test {
namespace {

using test::WorkloadHall;

// A node of four cores, and a DaemonSet `agent` whose pods request one.
class KeptRoomTest : public testing::Test {
 protected:
  KeptRoomTest() {
    hall.node("n1", 4);
    DaemonSet set;
    set.name_space = hall.world().str("default");
    set.name = "agent";
    set.spec.requests.set(kCpu, kMilli);
    set.spec.requests.set(kPods, 1);
    Objects objects;
    objects.daemon_sets = {std::move(set)};
    hall.world().cluster.add(std::move(objects));
  }

  void runs(const std::string& pod) {
    hall.world().gang(pod, {.min_member = 1});
    hall.world().pod(pod, pod, {.cpu = 1, .node = "n1"});
  }
  static int64_t free_cores(const Session& session) {
    return session.snapshot().state().now[kCpu][NodeId(0)] / kMilli;
  }
  // That are kept for the DaemonSet.
  int64_t kept() {
    Session& session = hall.open();
    int64_t before = free_cores(session);
    DaemonRoom room(session);
    return before - free_cores(session);
  }

  WorkloadHall hall{{}};
};

TEST_F(KeptRoomTest, RoomForADaemonIsKeptAsLongAsTheObject) {
  Session& session = hall.open();
  {
    DaemonRoom room(session);
    EXPECT_EQ(free_cores(session), 3);
  }
  EXPECT_EQ(free_cores(session), 4);
  EXPECT_TRUE(session.statement().clean());
  EXPECT_TRUE(session.decisions().empty());
}

TEST_F(KeptRoomTest, NoneForADaemonThatRuns) {
  runs("agent-bcdf2");
  EXPECT_EQ(kept(), 0);
}

// The letters and the length are those of the names that controllers generate.
TEST_F(KeptRoomTest, ANamesakeIsNoDaemon) {
  for (const char* pod : {"agent-abcde", "agent-bcdf", "agent-bcdfgh", "agent2-bcdfg", "agents"}) {
    runs(pod);
  }
  hall.node("n1", 16);
  EXPECT_EQ(kept(), 1);
}

TEST_F(KeptRoomTest, NoneOnAFullNode) {
  for (int i = 0; i < 4; ++i) runs("other" + std::to_string(i));
  EXPECT_EQ(kept(), 0);
}

}  // namespace
}  // namespace trellis::kept_room_test
