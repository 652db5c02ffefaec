#include "server/writeback/notes.h"

#include <gtest/gtest.h>

#include <utility>

#include "plugins/rank/rank.h"
#include "tests/server/sample_cluster.h"

namespace trellis::notes_test {
namespace {

struct World : SampleCluster {
  World() {
    node("n1", 4);
    gang("g");
    id = pod("g", "p", PodStatus::Running, "n1");
    PodDetails details;
    details.notes.push_back({BindNote::Kind::Label, kRankLabel, "0"});
    PodOutcome bound;
    bound.set_details(std::move(details));
    take(PodStatus::Bound, std::move(bound));
  }

  // Whether a cycle with this outcome leaves the pod its notes.
  bool keeps(PodStatus status, PodOutcome outcome = {}) {
    take(status, std::move(outcome));
    return notes.contains(id);
  }

  void take(PodStatus status, PodOutcome outcome) {
    outcome.status = status;
    CycleRecord record;
    record.pods.grow(cluster.pods().size());
    record.pods.own(id) = std::move(outcome);
    add_notes(notes, record, cluster);
  }

  PodId id;
  BindNotes notes;
};

TEST(Notes, APodKeepsThemWhileItRuns) {
  World world;
  EXPECT_TRUE(world.keeps(PodStatus::Running));
  EXPECT_TRUE(world.keeps(PodStatus::Releasing));
  EXPECT_FALSE(world.keeps(PodStatus::Pending));
}

// The input of a cycle has the notes of the pods that this cycle evicts.
TEST(Notes, APodThatACycleEvictsKeepsThem) {
  World world;
  EXPECT_TRUE(world.keeps(PodStatus::Evicted));
  PodOutcome promised;
  promised.evicted = true;
  EXPECT_TRUE(world.keeps(PodStatus::Pipelined, promised));
  EXPECT_FALSE(world.keeps(PodStatus::Pipelined));
}

TEST(Notes, APodThatIsBoundAgainKeepsNoOldOnes) {
  World world;
  EXPECT_TRUE(world.keeps(PodStatus::Evicted));
  PodOutcome bound;
  bound.action = "allocate";
  EXPECT_FALSE(world.keeps(PodStatus::Bound, bound));
}

}  // namespace
}  // namespace trellis::notes_test
