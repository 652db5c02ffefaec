#include "session/explain/demand_explanation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "session/explain/domain_details.h"
#include "session/explain/outlook.h"
#include "session/explain/remedy.h"
#include "tests/support/world.h"
#include "tests/topology/kai_tree.h"

namespace trellis::demand_explanation_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// An explanation with the session that it was made in.
struct Answer {
  Answer(World& world, std::string_view gang)
      : session(world.scheduler().reopen_without(world.gang_id(gang))),
        explanation(explain_gang(session, world.gang_id(gang))) {}

  std::string path(size_t i) const {
    std::string text;
    for (const std::string& value : name_of(session, explanation.domains.at(i).domain).path) {
      text += text.empty() ? value : "/" + value;
    }
    return text;
  }
  const DomainJudgement& at(size_t i) const { return explanation.domains.at(i); }
  Remedy remedy(size_t i) { return remedy_for(session, explanation, at(i)); }
  std::vector<Shortage> shortages(size_t i) const {
    std::span<const Shortage> found = explanation.short_of(at(i));
    return {found.begin(), found.end()};
  }
  SegmentFit segments(size_t i) const { return explanation.segments_of(at(i)); }
  std::string subgroup(size_t i) const {
    StrId name = explanation.parts.at(at(i).part).subgroup;
    return name.valid() ? std::string(session.cluster().vocabulary().strings.view(name)) : "";
  }

  Session& session;
  DemandExplanation explanation;
};

TEST(ExplainGang, DomainsFromPreferredUpToRequired) {
  World world;
  add_kai_tree(world);
  world.gang("g", {.count = 3,
                   .pod = {.gpu = 4},
                   .topology = "network",
                   .required = "zone",
                   .preferred = "rack"});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(9));
  EXPECT_EQ(answer.path(0), "A/A1");
  EXPECT_EQ(answer.at(0).allocatable_pods, 0);
  EXPECT_EQ(answer.at(0).needed, 3);
  EXPECT_FALSE(answer.at(0).fits);
  EXPECT_EQ(answer.path(7), "B");
  EXPECT_EQ(answer.at(7).allocatable_pods, 2);
  EXPECT_THAT(answer.shortages(7), ElementsAre(Shortage{kGpu, 4000}));
}

TEST(ExplainGang, WithoutARequiredLevelTheWholeTopologyIsACandidate) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.gpu = 1, .labels = {{"rack", "r1"}}});
  world.node("b", {.gpu = 1, .labels = {{"rack", "r2"}}});
  world.gang("g", {.count = 2, .pod = {.gpu = 1}, .topology = "t", .preferred = "rack"});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(3));
  EXPECT_EQ(answer.path(2), "");
  EXPECT_TRUE(answer.at(2).fits);
  EXPECT_FALSE(answer.at(0).fits);
}

TEST(ExplainGang, OneJudgementForTheClusterWithoutATopology) {
  World world;
  world.node("a", {.cpu = 4, .gpu = 2});
  world.node("b", {.cpu = 4, .gpu = 2});
  world.gang("g", {.count = 3, .pod = {.cpu = 1, .gpu = 2}});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(1));
  EXPECT_FALSE(answer.at(0).domain.topology.valid());
  EXPECT_EQ(answer.at(0).allocatable_pods, 2);
  EXPECT_EQ(answer.at(0).needed, 3);
  EXPECT_THAT(answer.shortages(0), ElementsAre(Shortage{kGpu, 2000}));
  EXPECT_EQ(answer.remedy(0).more_nodes, 1);
}

// Three nodes of four GPUs, one of them taken on each.
TEST(ExplainGang, NoMoreNodesWhereNoRackIsThatLarge) {
  World world;
  world.topology("t", {"rack"});
  for (const char* name : {"a1", "a2", "a3"}) {
    world.node(name, {.cpu = 8, .gpu = 4, .labels = {{"rack", "r1"}}});
    world.gang(std::string("on-") + name);
    world.pod(std::string("p-") + name, std::string("on-") + name, {.gpu = 1, .node = name});
  }
  world.gang("g", {.count = 4, .pod = {.cpu = 1, .gpu = 4}, .topology = "t", .required = "rack"});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(1));
  EXPECT_EQ(answer.at(0).allocatable_pods, 0);
  EXPECT_THAT(answer.shortages(0), ElementsAre(Shortage{kGpu, 16000}));
  // Four pods want four nodes; the rack has three, so freeing all of it would not do.
  EXPECT_EQ(answer.remedy(0).more_nodes, 0);
  std::optional<PartOutlook> outlook = outlook_of(answer.session, answer.explanation, 0);
  ASSERT_TRUE(outlook);
  EXPECT_EQ(outlook->largest_nodes, 3);
  EXPECT_EQ(outlook->if_empty, 3);
  EXPECT_FALSE(outlook->above.domain.valid());
  EXPECT_FALSE(outlook->anywhere);
  EXPECT_THAT(answer.remedy(0).freed, IsEmpty());
}

TEST(ExplainGang, IdleRestsAreCountedBeforeWhatMustBeFreed) {
  World world;
  world.config.actions = {"allocate"};
  world.topology("t", {"rack"});
  world.node("a1", {.gpu = 4, .labels = {{"rack", "r1"}}});
  world.node("a2", {.gpu = 4, .labels = {{"rack", "r1"}}});
  world.gang("x");
  world.pod("x-0", "x", {.gpu = 1, .node = "a1"});
  world.pod("x-1", "x", {.gpu = 3, .node = "a2"});
  world.gang("g", {.count = 1, .pod = {.gpu = 4}, .topology = "t", .required = "rack"});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(1));
  EXPECT_THAT(answer.shortages(0), ElementsAre(Shortage{kGpu, 4000}));
  EXPECT_THAT(answer.remedy(0).freed, ElementsAre(Shortage{kGpu, 1000})) << "a1 lacks one GPU";
  EXPECT_EQ(answer.remedy(0).more_nodes, 0) << "no rack has three nodes";
}

TEST(ExplainGang, WhatNodesRefuseIsNoShortage) {
  World world;
  world.topology("t", {"rack"});
  world.node("a1", {.gpu = 4, .labels = {{"rack", "r1"}}});
  world.node("a2", {.gpu = 4, .labels = {{"rack", "r1"}}, .unschedulable = true});
  world.gang("g", {.count = 2, .pod = {.gpu = 4}, .topology = "t", .required = "rack"});
  world.cycle();
  Answer answer(world, "g");
  EXPECT_EQ(answer.at(0).allocatable_pods, 1);
  EXPECT_THAT(answer.shortages(0), IsEmpty());
  std::vector<LeftOut> left_out = look_into(answer.session, answer.explanation).front().left_out;
  ASSERT_THAT(left_out, SizeIs(1));
  EXPECT_EQ(left_out[0].count.code, ReasonCode::NodeUnschedulable);
  EXPECT_EQ(left_out[0].count.nodes, 1);
  EXPECT_EQ(answer.remedy(0).more_nodes, 0) << "no rack has three nodes";
}

// By count of GPUs the refused node would do, so nothing is short; still the idle GPU of a2 comes
// before a1, where all would have to be freed.
TEST(ExplainGang, WhatToFreeWhereRefusedNodesHaveEnough) {
  World world;
  world.node("a0", {.gpu = 2, .unschedulable = true});
  world.node("a1", {.gpu = 4});
  world.node("a2", {.gpu = 4});
  world.gang("x");
  world.pod("x-1", "x", {.gpu = 4, .node = "a1"});
  world.pod("x-2", "x", {.gpu = 3, .node = "a2"});
  world.gang("g", {.count = 1, .pod = {.gpu = 2}});
  world.cycle();
  Answer answer(world, "g");
  EXPECT_THAT(answer.shortages(0), IsEmpty());
  EXPECT_THAT(answer.remedy(0).freed, ElementsAre(Shortage{kGpu, 1000}));
}

// GPUs are free on one node, CPUs on the other: of equals the first by name is said.
TEST(ExplainGang, ResourcesThatAreFreeOnDifferentNodes) {
  World world;
  world.node("a", {.cpu = 0.5, .gpu = 4});
  world.node("b", {.cpu = 4, .gpu = 0});
  world.gang("g", {.count = 1, .pod = {.cpu = 1, .gpu = 1}});
  world.cycle();
  Answer answer(world, "g");
  EXPECT_FALSE(answer.at(0).fits);
  EXPECT_THAT(answer.shortages(0), ElementsAre(Shortage{kCpu, 1000}));
}

TEST(ExplainGang, TheHardestPodsOfAGangDecide) {
  World world;
  world.topology("t", {"rack"});
  for (const char* name : {"a1", "a2"}) {
    world.node(name, {.cpu = 64, .gpu = 8, .labels = {{"rack", "r1"}}});
  }
  world.gang("g", {.min_member = 3, .topology = "t", .required = "rack"});
  world.pod("g-leader", "g", {.gpu = 1});
  world.pod("g-w0", "g", {.gpu = 8});
  world.pod("g-w1", "g", {.gpu = 8});
  world.cycle();
  Answer answer(world, "g");
  // By count each kind has room, the leader 16 times; together they ask for 17 of 16 GPUs.
  EXPECT_FALSE(answer.at(0).fits);
  EXPECT_EQ(answer.at(0).allocatable_pods, 2);
  EXPECT_EQ(answer.at(0).needed, 2);
  EXPECT_THAT(answer.shortages(0), ElementsAre(Shortage{kGpu, 1000}));
  EXPECT_EQ(answer.remedy(0).more_nodes, 0) << "no rack has three nodes";
  EXPECT_THAT(answer.remedy(0).freed, IsEmpty()) << "no pod holds a GPU there";
}

// 3 + 3 + 2 of 4 + 4: the sums fit, the pods do not.
TEST(ExplainGang, PodsThatDifferAreProvedToFit) {
  World world;
  world.node("a", {.cpu = 64, .gpu = 4});
  world.node("b", {.cpu = 64, .gpu = 4});
  world.gang("g", {.min_member = 3});
  world.pod("g-0", "g", {.gpu = 3});
  world.pod("g-1", "g", {.gpu = 3});
  world.pod("g-2", "g", {.gpu = 2});
  world.gang("h", {.min_member = 3, .created = 1});
  world.pod("h-0", "h", {.gpu = 3});
  world.pod("h-1", "h", {.gpu = 2});
  world.pod("h-2", "h", {.gpu = 2});
  world.cycle();
  Answer refused(world, "g");
  EXPECT_FALSE(refused.at(0).fits);
  EXPECT_TRUE(refused.at(0).proved);
  Answer placed(world, "h");
  EXPECT_TRUE(placed.at(0).fits);
  EXPECT_TRUE(placed.at(0).proved);
}

TEST(ExplainGang, BoundToTheDomainWherePodsRun) {
  World world;
  world.topology("t", {"rack"});
  world.node("a", {.gpu = 1, .labels = {{"rack", "r1"}}});
  world.node("b", {.gpu = 4, .labels = {{"rack", "r2"}}});
  world.gang("g", {.min_member = 2, .topology = "t", .required = "rack"});
  world.pod("g-0", "g", {.gpu = 1, .node = "a"});
  world.pod("g-1", "g", {.gpu = 1});
  world.cycle();
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(1));
  EXPECT_EQ(answer.path(0), "r1");
  EXPECT_FALSE(answer.at(0).fits);
}

TEST(ExplainGang, RoomOnceLeavingPodsHaveLeft) {
  World world;
  world.node("a", {.gpu = 1});
  world.gang("x");
  world.pod("x-0", "x", {.gpu = 1, .node = "a", .status = PodStatus::Releasing});
  world.gang("g", {.count = 1, .pod = {.gpu = 1}});
  world.cycle();
  Answer answer(world, "g");
  EXPECT_EQ(answer.at(0).allocatable_pods, 0);
  EXPECT_EQ(answer.at(0).later_pods, 1);
}

Subgroup leaf(World& world, const char* name, int32_t min_member, const char* required) {
  Subgroup subgroup;
  subgroup.name = world.str(name);
  subgroup.min_member = min_member;
  subgroup.topology = {world.str("t"), world.str(required), StrId()};
  return subgroup;
}

void add_pods(World& world, const char* subgroup, int count, int64_t gpu) {
  for (int i = 0; i < count; ++i) {
    std::string name = std::string("g-") + subgroup + "-" + std::to_string(i);
    PodId id = world.pod(name, "g", {.gpu = gpu});
    PodSlot slot = world.cluster.pods()[id];
    slot.pod.subgroup = world.str(subgroup);
    world.cluster.upsert(slot.pod, world.cluster.pod_classes()[slot.pod_class]);
  }
}

// Two blocks of two racks of two nodes.
void add_blocks(World& world) {
  world.topology("t", {"block", "rack"});
  for (const char* name : {"b1-r1-a", "b1-r1-b", "b1-r2-a", "b1-r2-b", "b2-r1-a", "b2-r1-b"}) {
    std::string text(name);
    world.node(name,
               {.gpu = 4, .labels = {{"block", text.substr(0, 2)}, {"rack", text.substr(3, 2)}}});
  }
}

TEST(ExplainGang, EachLeafSubgroupIsJudgedAtItsOwnLevel) {
  World world;
  add_blocks(world);
  GangId id = world.gang("g", {.min_member = 5, .topology = "t", .required = "block"});
  Gang gang = world.cluster.gangs()[id];
  gang.subgroups = {leaf(world, "prefill", 2, "rack"), leaf(world, "decode", 3, "rack")};
  world.cluster.upsert(gang);
  add_pods(world, "prefill", 2, 4);
  add_pods(world, "decode", 3, 4);
  Answer answer(world, "g");
  // The gang: racks and blocks; each leaf: racks.
  std::vector<std::string> rows;
  for (size_t i = 0; i < answer.explanation.domains.size(); ++i) {
    const DomainJudgement& judgement = answer.at(i);
    rows.push_back(answer.subgroup(i) + ":" + answer.path(i) + " " +
                   std::to_string(judgement.allocatable_pods) + "/" +
                   std::to_string(judgement.needed) + (judgement.fits ? " fits" : ""));
  }
  EXPECT_THAT(rows, ElementsAre(":b1/r1 2/5", ":b1/r2 2/5", ":b2/r1 2/5", ":b1 4/5", ":b2 2/5",
                                "prefill:b1/r1 2/2 fits", "prefill:b1/r2 2/2 fits",
                                "prefill:b2/r1 2/2 fits", "decode:b1/r1 2/3", "decode:b1/r2 2/3",
                                "decode:b2/r1 2/3"));
}

TEST(ExplainGang, ASegmentedGangCountsWholeSegments) {
  World world;
  add_blocks(world);
  GangId id = world.gang("g", {.min_member = 5, .topology = "t", .required = "block"});
  Gang gang = world.cluster.gangs()[id];
  gang.segments = {{2, world.str("rack"), StrId()}};
  gang.topology.preferred = world.str("block");
  world.cluster.upsert(gang);
  for (int i = 0; i < 5; ++i) world.pod("g-" + std::to_string(i), "g", {.gpu = 2});
  world.gang("x");
  world.pod("x-0", "x", {.gpu = 3, .node = "b1-r1-a"});
  Answer answer(world, "g");
  ASSERT_THAT(answer.explanation.domains, SizeIs(2));
  // b1: racks of 2 (one node has a single GPU left) and 4 pods; b2: one rack of 4.
  EXPECT_EQ(answer.at(0).allocatable_pods, 6);
  EXPECT_EQ(answer.segments(0).takes, 3);
  EXPECT_EQ(answer.segments(0).needed, 3);
  EXPECT_TRUE(answer.at(0).fits);
  EXPECT_EQ(answer.at(1).allocatable_pods, 4);
  EXPECT_EQ(answer.segments(1).takes, 2);
  EXPECT_FALSE(answer.at(1).fits);
}

// Three pods a rack: room for six pods, but for two segments of two only.
TEST(ExplainGang, RoomThatIsLeftOverBetweenSegments) {
  World world;
  world.topology("t", {"rack"});
  for (const char* rack : {"r1", "r2"}) {
    world.node(std::string("n-") + rack, {.gpu = 3, .labels = {{"rack", rack}}});
  }
  GangId id = world.gang("g", {.min_member = 6, .topology = "t"});
  Gang gang = world.cluster.gangs()[id];
  gang.segments = {{2, world.str("rack"), StrId()}};
  world.cluster.upsert(gang);
  for (int i = 0; i < 6; ++i) world.pod("g-" + std::to_string(i), "g", {.gpu = 1});
  Answer answer(world, "g");
  const DomainJudgement& root = answer.at(2);
  EXPECT_EQ(root.allocatable_pods, 6);
  EXPECT_EQ(answer.segments(2).takes, 2);
  EXPECT_EQ(answer.segments(2).needed, 3);
  EXPECT_FALSE(root.fits);
}

// Room for a segment of four, and for three more pods, but these share no rack.
TEST(ExplainGang, TheRestOfASegmentedGangSharesARack) {
  World world;
  world.topology("t", {"rack"});
  int64_t gpus[] = {4, 2, 1};
  for (const char* rack : {"r1", "r2", "r3"}) {
    world.node(std::string("n-") + rack, {.gpu = gpus[rack[1] - '1'], .labels = {{"rack", rack}}});
  }
  world.gang("g", {.count = 7,
                   .pod = {.gpu = 1},
                   .topology = "t",
                   .segments = {{.size = 4, .required = "rack"}}});
  Answer answer(world, "g");
  const DomainJudgement& root = answer.at(3);
  EXPECT_EQ(root.allocatable_pods, 7);
  EXPECT_FALSE(root.fits);
}

TEST(ExplainGang, AGangThatMayNotBeTriedIsJudgedAllTheSame) {
  World world;
  world.node("a", {.gpu = 2});
  world.gang("g", {.min_member = 3});
  world.pod("g-0", "g", {.gpu = 1});
  world.cycle();
  Answer answer(world, "g");
  EXPECT_EQ(answer.at(0).needed, 3);
  EXPECT_FALSE(answer.at(0).fits);
}

}  // namespace
}  // namespace trellis::demand_explanation_test
