#include "server/view/decisions_table.h"

#include <gtest/gtest.h>

#include "server/view/gang_summary.h"
#include "server/view/topology_output.h"
#include "tests/server/sample_cluster.h"

namespace trellis::decisions_table_test {
namespace {

struct Hall : SampleCluster {
  Hall() {
    for (const char* name : {"n1", "n2", "n3", "n4", "n5"}) node(name, 1);
    train = gang("train", "research");
    big = gang("big");
    for (int i = 0; i < 5; ++i) {
      std::string number = std::to_string(i);
      PodId id = pod("train", "t-" + number);
      pod("big", "b-" + number);
      bound.push_back(id);
    }
    cycle = record();
    for (size_t i = 0; i < bound.size(); ++i) {
      cycle.pods.own(bound[i]) = {
          .status = PodStatus::Bound, .node = NodeId(i), .action = "allocate"};
      cycle.nodes.own(NodeId(i)).idle = 0;
    }
    cycle.gangs.own(train).status = GangStatus::Scheduled;
    cycle.gangs.own(train).placement = GangPlacement{"hall", "example.com/block", {"b1"}};
    Reason reason{.code = ReasonCode::NodesNoFit, .needed = 5, .nodes = 5};
    reason.verdicts = {{ReasonCode::InsufficientResource, kGpu, "", 5, NodeId(0)}};
    cycle.gangs.own(big).reasons = {reason};
  }
  GangId train, big;
  std::vector<PodId> bound;
  CycleRecord cycle;
};

TEST(DecisionsTable, AGangARowThenTheSum) {
  Hall hall;
  EXPECT_EQ(decisions_table(hall.cluster, hall.cycle, Colours::Off),
            "GANG           QUEUE     STATUS     PODS  DOMAIN    NODES OR REASON\n"
            "default/big    -         Pending     0/5  -         needs 5 pods, 0 fit; 0/5 nodes: 5 "
            "insufficient nvidia.com/gpu\n"
            "default/train  research  Scheduled   5/5  block b1  5 nodes\n"
            "\n"
            "1 of 2 gangs placed, 5 of 10 pods, 5 of 5 GPUs used, 1 domain spanned\n");
}

// A gang of two replicas, whose parts are declared one replica after the other.
struct Serving : SampleCluster {
  Serving() {
    node("n1", 4);
    gang = gang_of(
        "serve", {{"a", ""}, {"b", ""}, {"a-prefill", "a"}, {"b-prefill", "b"}, {"a-decode", "a"}});
    PodId first = pod("serve", "p-0");
    put_into(first, "a-prefill");
    put_into(pod("serve", "p-1"), "a-decode");
    put_into(pod("serve", "p-2"), "b-prefill");
    cycle = record();
    cycle.pods.own(first) = {.status = PodStatus::Bound, .node = NodeId(0), .action = "allocate"};
    cycle.gangs.own(gang).placement = GangPlacement{"hall", "example.com/block", {"b1"}};
    cycle.gangs.own(gang).subgroups.resize(5);
    cycle.gangs.own(gang).subgroups[2] = {GangStatus::Scheduled,
                                          GangPlacement{"hall", "example.com/rack", {"b1", "r3"}}};
  }
  GangId gang;
  CycleRecord cycle;
};

TEST(DecisionsTable, SubgroupsBelowTheirGang) {
  Serving serving;
  std::string table = decisions_table(serving.cluster, serving.cycle, Colours::Off);
  EXPECT_EQ(table.substr(0, table.find("\n\n") + 1),
            "GANG           QUEUE  STATUS     PODS  DOMAIN      NODES OR REASON\n"
            "default/serve  -      Pending     1/3  block b1    n1\n"
            "  a                   Pending     1/2  -           n1\n"
            "    a-prefill         Scheduled   1/1  rack b1/r3  n1\n"
            "    a-decode          Pending     0/1  -           -\n"
            "  b                   Pending     0/1  -           -\n"
            "    b-prefill         Pending     0/1  -           -\n");
}

TEST(SubgroupTrees, EachBelowItsParent) {
  Serving serving;
  EXPECT_EQ(subgroup_trees(serving.cluster, serving.cycle, Glyphs::Ascii, Colours::Off),
            "\n"
            "gang default/serve: Pending, block b1\n"
            "|- a             Pending, 1/2 pods\n"
            "|  |- a-prefill  Scheduled, 1/1 pods, rack b1/r3\n"
            "|  `- a-decode   Pending, 0/1 pods\n"
            "`- b             Pending, 0/1 pods\n"
            "   `- b-prefill  Pending, 0/1 pods\n");
}

TEST(DecisionsTable, ColoursOnlyWhenAskedFor) {
  Hall hall;
  EXPECT_EQ(decisions_table(hall.cluster, hall.cycle, Colours::Off).find('\x1b'),
            std::string::npos);
  EXPECT_NE(decisions_table(hall.cluster, hall.cycle, Colours::On).find("\x1b[32mScheduled\x1b[0m"),
            std::string::npos);
}

TEST(DecisionsTable, GangsThatLeaveOrHaveFinished) {
  SampleCluster sample;
  NodeId node = sample.node("n1", 1);
  GangId done = sample.gang("done");
  GangId leaves = sample.gang("leaves");
  sample.pod("done", "d", PodStatus::Succeeded);
  sample.pod("leaves", "l", PodStatus::Releasing, "n1");
  CycleRecord record = sample.record();
  record.nodes.own(node).idle = 0;
  record.gangs.own(done).status = GangStatus::Finished;
  record.gangs.own(leaves).status = GangStatus::Releasing;
  record.gangs.own(leaves).reasons = {{.code = ReasonCode::NotEnoughPods, .needed = 1}};
  EXPECT_EQ(decisions_table(sample.cluster, record, Colours::Off),
            "GANG            QUEUE  STATUS     PODS  DOMAIN  NODES OR REASON\n"
            "default/done    -      Finished    0/0  -       -\n"
            "default/leaves  -      Releasing   0/1  -       leaving n1\n"
            "\n"
            "0 of 1 gang placed, 0 of 1 pod, 1 of 1 GPU used, 0 domains spanned\n");
}

TEST(DecisionsTable, TheSumsAreOfEverythingWhateverTheCycleTouched) {
  Hall hall;
  hall.cycle.touched = {.everything = false, .gangs = {hall.train}};
  std::string text = decisions_end(hall.cluster, hall.cycle, Colours::Off);
  EXPECT_EQ(text, "1 of 2 gangs placed, 5 of 10 pods, 5 of 5 GPUs used, 1 domain spanned\n");
}

TEST(DecisionsTable, IdleGpusOfClosedNodesAreCountedApart) {
  Hall hall;
  for (const char* name : {"cordoned", "silent"}) {
    Node node = hall.cluster.nodes()[hall.node(name, 4)];
    node.unschedulable = node.name == "cordoned";
    node.ready = node.name != "silent";
    hall.cluster.upsert(std::move(node));
  }
  CycleRecord record = hall.record();
  EXPECT_EQ(decisions_end(hall.cluster, record, Colours::Off),
            "0 of 2 gangs placed, 0 of 10 pods, 0 of 5 GPUs used, 8 idle on closed nodes, 0 "
            "domains spanned\n");
}

TEST(DecisionsTable, WhoLeavesForWhom) {
  Hall hall;
  for (size_t i = 0; i < hall.bound.size(); ++i) {
    hall.cycle.decisions.push_back(
        {.kind = Decision::Kind::Evict, .pod = hall.bound[i], .by = hall.big, .action = "preempt"});
    hall.cycle.pods.own(hall.bound[i]).status = PodStatus::Evicted;
  }
  hall.cycle.pods.own(hall.bound[0]) = {
      .status = PodStatus::Pipelined, .node = NodeId(4), .evicted = true};
  hall.cycle.decisions.push_back({.kind = Decision::Kind::Evict,
                                  .pod = hall.cluster.find_pod("default", "b-0"),
                                  .action = "stalegangeviction"});
  std::string text = decisions_end(hall.cluster, hall.cycle, Colours::Off);
  EXPECT_EQ(text.substr(0, text.find("\n\n") + 1),
            "EVICTED PODS    GANG           FROM  TO  ACTION             FOR\n"
            "b-0             default/big          -   stalegangeviction  -\n"
            "t-0 t-1 t-2 +2  default/train        n5  preempt            default/big\n");
}

TEST(GangSummary, FinishedPodsDoNotCount) {
  SampleCluster sample;
  sample.node("n1", 1);
  GangId gang = sample.gang("g");
  sample.pod("g", "done", PodStatus::Succeeded);
  sample.pod("g", "runs", PodStatus::Running, "n1");
  std::vector<GangSummary> summaries = summarize_gangs(sample.cluster, sample.record());
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].gang, gang);
  EXPECT_EQ(summaries[0].pods, 1);
  EXPECT_EQ(summaries[0].placed, 1);
  EXPECT_EQ(summaries[0].nodes, std::vector<std::string>{"n1"});
}

TEST(GangSummary, WaitingMeansAPendingPodOfOurs) {
  SampleCluster sample;
  sample.gang("g");
  sample.pod("g", "done", PodStatus::Succeeded);
  EXPECT_FALSE(leaves_pods_waiting(sample.cluster, sample.record()));
  Pod foreign = sample.cluster.pods()[sample.pod("g", "foreign")].pod;
  foreign.hold = PodHold::OtherScheduler;
  sample.cluster.upsert(foreign, PodSpec());
  EXPECT_FALSE(leaves_pods_waiting(sample.cluster, sample.record()));
  sample.pod("g", "ours");
  EXPECT_TRUE(leaves_pods_waiting(sample.cluster, sample.record()));
}

}  // namespace
}  // namespace trellis::decisions_table_test
