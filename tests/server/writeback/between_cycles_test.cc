#include "server/writeback/between_cycles.h"

#include <gtest/gtest.h>

#include "tests/server/sample_cluster.h"

namespace trellis::between_cycles_test {
namespace {

constexpr TimeUs kNow = 1'000 * kSecondUs;

struct World : SampleCluster {
  World() {
    n1 = node("n1", 4);
    n2 = node("n2", 4);
    gang("g");
  }
  const Pod& after(PodId id) const { return cluster.pods()[id].pod; }
  const PodSpec& spec(PodId id) const {
    return cluster.pod_classes()[cluster.pods()[id].pod_class];
  }
  void set_finalizer(PodId id) {
    Pod pod = after(id);
    pod.finalizer = true;
    cluster.upsert(pod, PodSpec(spec(id)));
  }
  CycleRecord record() const {
    CycleRecord record = SampleCluster::record();
    record.now = kNow;
    return record;
  }
  NodeId n1, n2;
};

TEST(PassTime, BoundPodsStartAtTheCyclesNow) {
  World world;
  PodId decided = world.pod("g", "decided");
  PodId read = world.pod("g", "read", PodStatus::Bound, "n2");
  CycleRecord record = world.record();
  record.pods.own(decided) = {.status = PodStatus::Bound, .node = world.n1, .action = "allocate"};
  pass_time(world.cluster, record);
  for (PodId id : {decided, read}) {
    EXPECT_EQ(world.after(id).status, PodStatus::Running);
    EXPECT_EQ(world.after(id).started, kNow);
  }
  EXPECT_EQ(world.after(decided).node, "n1");
  EXPECT_EQ(world.after(read).node, "n2");
  world.cluster.check_invariants();
}

// Moves of other actions do not count.
TEST(PassTime, CountsTheGpusThatDefragmentationMoves) {
  World world;
  PodId moved = world.pod("g", "moved", PodStatus::Running, "n1");
  PodId other = world.pod("g", "other", PodStatus::Running, "n1");
  PodSpec spec = world.spec(moved);
  spec.requests.set(kGpu, 2000);
  world.cluster.upsert(Pod(world.after(moved)), PodSpec(spec));
  world.cluster.upsert(Pod(world.after(other)), PodSpec(spec));
  CycleRecord record = world.record();
  for (auto [pod, action] : {std::pair(moved, "defragmentation"), std::pair(other, "preempt")}) {
    record.decisions.push_back({.kind = Decision::Kind::Evict, .pod = pod, .action = action});
  }
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.moved_gpus(), (MovedGpus{kNow, 2000}));
  record.now += kHourUs - 1;
  assume(world.cluster, record);
  EXPECT_EQ(world.cluster.moved_gpus(), (MovedGpus{kNow, 4000}));
}

TEST(PassTime, APodInPlaceOfAResizedOneAsksForItsSpec) {
  World world;
  PodId id = world.pod("g", "p", PodStatus::Releasing, "n1");
  PodSpec held = world.spec(id);
  ResourceList wanted = held.requests;
  held.requests.set(kCpu, 6000);
  held.replacement = SharedValue(ReplacementDemand{wanted, {}});
  world.cluster.upsert(Pod(world.after(id)), std::move(held));
  pass_time(world.cluster, world.record());
  EXPECT_EQ(world.after(id).status, PodStatus::Pending);
  EXPECT_EQ(world.spec(id).requests, wanted);
  EXPECT_FALSE(world.spec(id).replacement);
  world.cluster.check_invariants();
}

TEST(Assume, BoundPodsStandAndDoNotRunAndEvictedPodsAreLeaving) {
  World world;
  PodId bound = world.pod("g", "bound");
  PodId waits = world.pod("g", "waits");
  PodId evicted = world.pod("g", "evicted", PodStatus::Running, "n2");
  CycleRecord record = world.record();
  record.pods.own(bound) = {.status = PodStatus::Bound, .node = world.n1, .action = "allocate"};
  record.pods.own(waits) = {.status = PodStatus::Pipelined, .node = world.n2, .action = "preempt"};
  record.pods.own(evicted) = {.status = PodStatus::Evicted, .node = world.n2, .action = "preempt"};
  EXPECT_TRUE(is_bound_by(record, bound, world.cluster.pods()[bound]));
  EXPECT_TRUE(is_evicted_by(record, evicted, world.cluster.pods()[evicted]));
  assume(world.cluster, record);
  EXPECT_EQ(world.after(bound).status, PodStatus::Bound);
  EXPECT_EQ(world.after(bound).node, "n1");
  EXPECT_EQ(world.after(bound).started, kNoTime);
  EXPECT_EQ(world.after(waits).status, PodStatus::Pending);
  EXPECT_EQ(world.after(waits).promised, "n2");
  EXPECT_EQ(world.after(evicted).status, PodStatus::Releasing);
  EXPECT_EQ(world.after(evicted).node, "n2");
  EXPECT_EQ(world.after(evicted).leaving_since, kNow);
  EXPECT_FALSE(is_bound_by(record, bound, world.cluster.pods()[bound]));
  world.cluster.check_invariants();
}

TEST(Assume, AGangBeginsOnce) {
  World world;
  PodId pod = world.pod("g", "p");
  CycleRecord record = world.record();
  record.pods.own(pod) = {.status = PodStatus::Bound, .node = world.n1, .action = "allocate"};
  assume(world.cluster, record);
  GangId gang = world.cluster.pods()[pod].gang;
  EXPECT_EQ(world.cluster.gangs()[gang].started, kNow);
  record.now += kSecondUs;
  uint64_t generation = world.cluster.generation();
  assume(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[gang].started, kNow);
  EXPECT_EQ(world.cluster.generation(), generation) << "nothing is new";
}

TEST(Assume, APodThatAGateKeepsFromBeingBoundWaits) {
  World world;
  PodId gated = world.pod("g", "gated");
  Pod pod = world.after(gated);
  pod.hold = PodHold::Workload;
  world.cluster.upsert(pod,
                       PodSpec(world.cluster.pod_classes()[world.cluster.pods()[gated].pod_class]));
  CycleRecord record = world.record();
  record.pods.own(gated) = {.status = PodStatus::Bound, .node = world.n1, .action = "allocate"};
  assume(world.cluster, record);
  EXPECT_EQ(world.after(gated).status, PodStatus::Pending);
}

TEST(PassTime, WhatLeavesComesBackAsPending) {
  World world;
  PodId evicted = world.pod("g", "evicted", PodStatus::Running, "n1");
  PodId moved = world.pod("g", "moved", PodStatus::Running, "n1");
  PodId leaving = world.pod("g", "leaving", PodStatus::Releasing, "n1");
  PodId promised = world.pod("g", "promised");
  CycleRecord record = world.record();
  record.pods.own(evicted).status = PodStatus::Evicted;
  record.pods.own(moved) = {.status = PodStatus::Pipelined, .node = world.n2, .evicted = true};
  record.pods.own(promised) = {.status = PodStatus::Pipelined, .node = world.n1};
  pass_time(world.cluster, record);
  for (PodId id : {evicted, moved, leaving, promised}) {
    EXPECT_EQ(world.after(id).status, PodStatus::Pending) << world.after(id).name;
    EXPECT_EQ(world.after(id).node, "") << world.after(id).name;
    EXPECT_EQ(world.after(id).started, kNoTime) << world.after(id).name;
  }
}

TEST(PassTime, AFinalizerKeepsALeavingPodWhereItRuns) {
  World world;
  PodId evicted = world.pod("g", "evicted", PodStatus::Running, "n1");
  PodId moved = world.pod("g", "moved", PodStatus::Running, "n1");
  PodId leaving = world.pod("g", "leaving", PodStatus::Releasing, "n1");
  PodId promised = world.pod("g", "promised");
  for (PodId id : {evicted, moved, leaving, promised}) world.set_finalizer(id);
  CycleRecord record = world.record();
  record.pods.own(evicted).status = PodStatus::Evicted;
  record.pods.own(moved) = {.status = PodStatus::Pipelined, .node = world.n2, .evicted = true};
  record.pods.own(promised) = {.status = PodStatus::Pipelined, .node = world.n1};
  pass_time(world.cluster, record);
  for (PodId id : {evicted, moved, leaving}) {
    EXPECT_EQ(world.after(id).status, PodStatus::Releasing) << world.after(id).name;
    EXPECT_EQ(world.after(id).node, "n1") << world.after(id).name;
  }
  EXPECT_EQ(world.after(promised).status, PodStatus::Pending);
}

TEST(PassTime, WhatWasNotTouchedStays) {
  World world;
  PodId pending = world.pod("g", "pending");
  PodId running = world.pod("g", "running", PodStatus::Running, "n1");
  PodId done = world.pod("g", "done", PodStatus::Succeeded);
  PodId elsewhere = world.pod("g", "elsewhere", PodStatus::Bound, "n9");
  uint64_t generation = world.cluster.generation();
  pass_time(world.cluster, world.record());
  EXPECT_EQ(world.cluster.generation(), generation);
  EXPECT_EQ(world.after(pending).status, PodStatus::Pending);
  EXPECT_EQ(world.after(running).status, PodStatus::Running);
  EXPECT_EQ(world.after(done).status, PodStatus::Succeeded);
  EXPECT_EQ(world.after(elsewhere).node, "n9");
}

TEST(PassTime, SharedDevicesKeepTheirNames) {
  World world;
  StringTable& strings = world.cluster.vocabulary().strings;
  PodId old = world.pod("g", "old", PodStatus::Running, "n1");
  Pod named = world.after(old);
  named.gpu_groups = {strings.intern("blue")};
  world.cluster.upsert(named, PodSpec());
  PodId joins = world.pod("g", "joins");
  PodId opens = world.pod("g", "opens");
  PodId silent = world.pod("g", "silent", PodStatus::Running, "n2");
  CycleRecord record = world.record();
  record.pods.own(old).gpus.push_back({0, 500});
  record.pods.own(joins) = {.status = PodStatus::Bound, .node = world.n1};
  record.pods.own(joins).gpus.push_back({0, 500});
  record.pods.own(opens) = {.status = PodStatus::Bound, .node = world.n1};
  record.pods.own(opens).gpus.push_back({2, 300});
  record.pods.own(opens).gpus.push_back({3, 300});
  record.pods.own(silent).gpus.push_back({1, 250});
  pass_time(world.cluster, record);
  EXPECT_EQ(world.after(old).gpu_groups, std::vector<StrId>{strings.find("blue")});
  EXPECT_EQ(world.after(joins).gpu_groups, std::vector<StrId>{strings.find("blue")});
  EXPECT_EQ(world.after(opens).gpu_groups,
            (std::vector<StrId>{strings.find("2"), strings.find("3")}));
  EXPECT_EQ(world.after(silent).gpu_groups, std::vector<StrId>{strings.find("1")});
  EXPECT_EQ(world.after(silent).status, PodStatus::Running);
}

TEST(PassTime, APodThatLeavesForgetsItsDevices) {
  World world;
  PodId id = world.pod("g", "p", PodStatus::Running, "n1");
  Pod named = world.after(id);
  named.gpu_groups = {world.cluster.vocabulary().strings.intern("blue")};
  world.cluster.upsert(named, PodSpec());
  CycleRecord record = world.record();
  record.pods.own(id).status = PodStatus::Evicted;
  record.pods.own(id).gpus.push_back({0, 500});
  pass_time(world.cluster, record);
  EXPECT_TRUE(world.after(id).gpu_groups.empty());
}

// Makes the gang need that many pods.
void set_minimum(World& world, GangId id, int32_t pods) {
  Gang gang = world.cluster.gangs()[id];
  gang.min_member = pods;
  world.cluster.upsert(gang);
}

TEST(PassTime, AGangThatComesUpStartsAtTheCyclesNow) {
  World world;
  GangId up = world.gang("up");
  GangId grows = world.gang("grows");
  GangId waits = world.gang("waits");
  PodId first = world.pod("up", "first");
  PodId more = world.pod("grows", "more");
  world.pod("grows", "runs", PodStatus::Running, "n1");
  world.pod("waits", "pending");
  world.cluster.set_gang_times(grows, 5, kNoTime);
  CycleRecord record = world.record();
  for (PodId pod : {first, more}) {
    record.pods.own(pod) = {.status = PodStatus::Bound, .node = world.n1, .action = "allocate"};
  }
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[up].started, kNow);
  EXPECT_EQ(world.cluster.gangs()[grows].started, 5);
  EXPECT_EQ(world.cluster.gangs()[waits].started, kNoTime);
}

TEST(PassTime, AGangIsStaleSinceTheCycleThatFirstSawIt) {
  World world;
  GangId gang = world.gang("broken");
  set_minimum(world, gang, 2);
  world.pod("broken", "runs", PodStatus::Running, "n1");
  PodId lost = world.pod("broken", "lost");
  CycleRecord record = world.record();
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[gang].stale_since, kNow);
  record.now += 9;
  uint64_t generation = world.cluster.generation();
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[gang].stale_since, kNow);
  EXPECT_EQ(world.cluster.generation(), generation);  // nothing changed
  record.pods.own(lost) = {.status = PodStatus::Bound, .node = world.n2, .action = "allocate"};
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[gang].stale_since, kNoTime);
}

TEST(PassTime, WhoDoesNotRunOrHasBegunToFinishIsNotStale) {
  World world;
  GangId gone = world.gang("gone");
  GangId done = world.gang("done");
  for (GangId gang : {gone, done}) set_minimum(world, gang, 3);
  PodId evicted = world.pod("gone", "evicted", PodStatus::Running, "n1");
  world.pod("done", "runs", PodStatus::Running, "n1");
  world.pod("done", "finished", PodStatus::Succeeded);
  world.cluster.set_gang_times(gone, 1, 2);
  CycleRecord record = world.record();
  record.pods.own(evicted).status = PodStatus::Evicted;
  pass_time(world.cluster, record);
  EXPECT_EQ(world.cluster.gangs()[gone].stale_since, kNoTime);
  EXPECT_EQ(world.cluster.gangs()[gone].started, 1);
  EXPECT_EQ(world.cluster.gangs()[done].stale_since, kNoTime);
}

TEST(PassTime, APodThatIsKeptLeavesSinceTheCycleThatEvictedIt) {
  World world;
  PodId id = world.pod("g", "kept", PodStatus::Running, "n1");
  world.set_finalizer(id);
  CycleRecord record = world.record();
  record.pods.own(id).status = PodStatus::Evicted;
  pass_time(world.cluster, record);
  EXPECT_EQ(world.after(id).leaving_since, kNow);
  record.now += 9;
  record.pods.own(id).status = PodStatus::Releasing;
  pass_time(world.cluster, record);
  EXPECT_EQ(world.after(id).leaving_since, kNow);
}

}  // namespace
}  // namespace trellis::between_cycles_test
