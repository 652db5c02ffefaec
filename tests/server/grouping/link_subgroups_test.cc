#include "server/grouping/link_subgroups.h"

#include <gtest/gtest.h>

#include "tests/server/manifest/reading.h"

namespace trellis::test::link_subgroups_test {
namespace {

using Lines = std::vector<std::string>;
using Codes = std::vector<ReasonCode>;

constexpr const char* kTopology = R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: network}
spec: {levels: [{nodeLabel: zone}, {nodeLabel: rack}, {nodeLabel: kubernetes.io/hostname}]}
---
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: power}
spec: {levels: [{nodeLabel: feed}, {nodeLabel: rack}]}
)";

std::string pod_group(const std::string& spec) {
  return "---\n{apiVersion: scheduling.run.ai/v2alpha2, kind: PodGroup, metadata: {name: g}, "
         "spec: {" +
         spec + "}}\n";
}

std::string pod(const std::string& name, const std::string& labels,
                const std::string& rest = "spec: {}") {
  return "---\n{apiVersion: v1, kind: Pod, metadata: {name: " + name +
         ", annotations: {pod-group-name: g}, labels: {" + labels + "}}, " + rest + "}\n";
}

std::string in(const std::string& subgroup) { return "kai.scheduler/subgroup-name: " + subgroup; }

Reading group(const std::string& spec) { return read(kTopology + pod_group(spec)); }

Lines subgroups(const Reading& reading) {
  Lines all;
  for (const Subgroup& subgroup : reading.gang("g")->subgroups) {
    all.push_back(show(reading, subgroup));
  }
  return all;
}

TEST(LinkSubgroups, AsDeclared) {
  Reading reading =
      group("subGroups: [{name: a, minMember: 2}, {name: b}, {name: c, minMember: 0}]");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(subgroups(reading), (Lines{"a(-1 min=2)", "b(-1 min=1)", "c(-1 min=0)"}));
  EXPECT_EQ(reading.gang("g")->min_member, 3);
  EXPECT_EQ(reading.gang("g")->min_subgroup, Subgroup::kAll);
  EXPECT_EQ(group("subGroups: []").gang("g")->min_member, 1);
  EXPECT_EQ(group("subGroups: [{name: c, minMember: 0}]").gang("g")->min_member, 1);
}

TEST(LinkSubgroups, ParentsBeforeTheirChildren) {
  Reading reading = group(
      "subGroups: [{name: leaf, parent: mid}, {name: other}, {name: mid, parent: top}, "
      "{name: more, parent: top, minMember: 5}, {name: top}]");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(subgroups(reading), (Lines{"top(-1 min=1)", "mid(0 min=1)", "leaf(1 min=1)",
                                       "other(-1 min=1)", "more(0 min=5)"}));
  EXPECT_EQ(reading.gang("g")->min_member, 7);
}

TEST(LinkSubgroups, TheMinimumOfSomeOfThem) {
  Reading reading = group(
      "minSubGroup: 1, subGroups: [{name: a, minSubGroup: 2}, {name: a1, parent: a, minMember: 4}, "
      "{name: a2, parent: a, minMember: 1}, {name: a3, parent: a, minMember: 2}, "
      "{name: b, minMember: 9}]");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(reading.gang("g")->min_subgroup, 1);
  EXPECT_EQ(subgroups(reading)[0], "a(-1 min=1 min-subgroup=2)");
  EXPECT_EQ(reading.gang("g")->min_member, 3);
  EXPECT_EQ(group("minMember: 7, subGroups: [{name: a}]").gang("g")->min_member, 7);
  EXPECT_EQ(group("subGroups: [{name: a, minMember: 2000000000}, {name: b, minMember: "
                  "2000000000}]")
                .gang("g")
                ->min_member,
            INT32_MAX);
}

TEST(LinkSubgroups, MoreSubgroupsWantedThanThereAre) {
  Reading reading = group("subGroups: [{name: a, minSubGroup: 2}, {name: b, parent: a}]");
  EXPECT_EQ(
      reading.diagnostics(),
      Lines{"in.yaml:12: doc 3: $.spec.subGroups[0].minSubGroup: found the number 2, expected "
            "at most 1, as many as are below"});
  EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::InvalidObject});
  EXPECT_EQ(reading.gang("g")->errors[0].subgroup, "a");
  EXPECT_EQ(
      group("subGroups: [{name: a, minSubGroup: 1}]").diagnostics(),
      Lines{"in.yaml:12: doc 3: $.spec.subGroups[0].minSubGroup: found the number 1, expected "
            "nothing, as no subgroup is below"});
  EXPECT_EQ(group("minSubGroup: 3, subGroups: [{name: a}]").reasons("g"),
            Codes{ReasonCode::InvalidObject});
}

TEST(LinkSubgroups, AsDeepAsTheyMayBe) {
  std::string list;
  for (int i = 15; i > 0; --i) {
    list += "{name: s" + std::to_string(i) + ", parent: s" + std::to_string(i - 1) + "}, ";
  }
  Reading reading = group("subGroups: [" + list + "{name: s0}]");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  ASSERT_EQ(subgroups(reading).size(), 16U);
  EXPECT_EQ(subgroups(reading)[15], "s15(14 min=1)");
  EXPECT_EQ(reading.gang("g")->min_member, 1);
}

TEST(LinkSubgroups, UnknownParents) {
  Reading reading = group("subGroups: [{name: prefill, parent: serving}, {name: servng}]");
  EXPECT_EQ(reading.diagnostics(),
            Lines{"in.yaml:12: doc 3: $.spec.subGroups[0].parent: found \"serving\", expected the "
                  "name of another subgroup; did you mean \"servng\"?"});
  EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::SubgroupTree});
  EXPECT_EQ(reading.gang("g")->errors[0].subgroup, "prefill");
  EXPECT_EQ(reading.gang("g")->errors[0].subject, "serving");
  EXPECT_EQ(subgroups(reading).size(), 2U);
  EXPECT_EQ(group("subGroups: [{name: a, parent: a}]").reasons("g"),
            Codes{ReasonCode::SubgroupTree});
}

TEST(LinkSubgroups, Circles) {
  Reading reading = group(
      "subGroups: [{name: d, parent: a}, {name: a, parent: b}, {name: b, parent: c}, "
      "{name: c, parent: a}]");
  EXPECT_EQ(reading.reasons("g"), Codes{ReasonCode::SubgroupTree});
  EXPECT_EQ(reading.diagnostics().size(), 1U);
  EXPECT_EQ(reading.gang("g")->errors[0].subgroup, "a");
  EXPECT_EQ(subgroups(reading), (Lines{"a(-1 min=1)", "d(0 min=1)", "c(0 min=1)", "b(2 min=1)"}));
}

TEST(LinkSubgroups, ATopologyComesFromAround) {
  Reading reading = group(
      "topologyConstraint: {topology: network}, subGroups: ["
      "{name: a, topologyConstraint: {requiredTopologyLevel: rack}}, "
      "{name: b, topologyConstraint: {topology: power}}, "
      "{name: b1, parent: b, topologyConstraint: {preferredTopologyLevel: feed}}, "
      "{name: c}, {name: c1, parent: c, topologyConstraint: {requiredTopologyLevel: zone}}]");
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_EQ(subgroups(reading), (Lines{"a(-1 min=1 topology=network,rack,)", "b(-1 min=1)",
                                       "b1(1 min=1 topology=power,,feed)", "c(-1 min=1)",
                                       "c1(3 min=1 topology=network,zone,)"}));
}

TEST(LinkSubgroups, ConstraintsThatCannotBeUnderstood) {
  auto check = [](const char* around, const char* asked, ReasonCode code, const char* message) {
    Reading reading =
        group(std::string(around) + "subGroups: [{name: a, topologyConstraint: {" + asked + "}}]");
    EXPECT_EQ(reading.reasons("g"), Codes{code}) << asked;
    ASSERT_EQ(reading.diagnostics().size(), 1U) << asked;
    EXPECT_EQ(reading.gang("g")->errors[0].subgroup, "a");
    EXPECT_EQ(reading.diagnostics()[0],
              "in.yaml:12: doc 3: $.spec.subGroups[0].topologyConstraint." + std::string(message));
  };
  check("", "requiredTopologyLevel: rack", ReasonCode::TopologyNotNamed,
        "requiredTopologyLevel: found the level \"rack\" without a topology, expected the name of "
        "its Topology beside it");
  check("", "topology: netwrok, requiredTopologyLevel: rack", ReasonCode::TopologyNotFound,
        "topology: found \"netwrok\", expected the name of a Topology; did you mean \"network\"?");
  check("", "topology: network, requiredTopologyLevel: rak", ReasonCode::LevelUnknown,
        "requiredTopologyLevel: found \"rak\", expected a level of Topology \"network\" (zone, "
        "rack, kubernetes.io/hostname); did you mean \"rack\"?");
  check("", "topology: network, requiredTopologyLevel: rack, preferredTopologyLevel: zone",
        ReasonCode::LevelOrder,
        "preferredTopologyLevel: found the preferred level \"zone\", coarser than the required "
        "level \"rack\", expected the required level or a finer one");
  check("topologyConstraint: {topology: network, requiredTopologyLevel: rack}, ",
        "requiredTopologyLevel: zone", ReasonCode::LevelOrder,
        "requiredTopologyLevel: found the level \"zone\", coarser than the level \"rack\" that is "
        "required around it, expected that level or a finer one");
  check("topologyConstraint: {topology: network, requiredTopologyLevel: rack}, ",
        "preferredTopologyLevel: zone", ReasonCode::LevelOrder,
        "preferredTopologyLevel: found the level \"zone\", coarser than the level \"rack\" that is "
        "required around it, expected that level or a finer one");
}

TEST(LinkSubgroups, LevelsBelowAPreferredOneOrOfAnotherTopologyHaveNoOrder) {
  EXPECT_EQ(group("topologyConstraint: {topology: network, preferredTopologyLevel: rack}, "
                  "subGroups: [{name: a, topologyConstraint: {requiredTopologyLevel: zone}}]")
                .diagnostics(),
            Lines{});
  EXPECT_EQ(group("topologyConstraint: {topology: network, requiredTopologyLevel: rack}, "
                  "subGroups: [{name: a, topologyConstraint: {topology: power, "
                  "requiredTopologyLevel: feed}}, "
                  "{name: b, topologyConstraint: {requiredTopologyLevel: rack}}]")
                .diagnostics(),
            Lines{});
  // The order holds through a subgroup that asks for nothing.
  EXPECT_EQ(group("topologyConstraint: {topology: network, requiredTopologyLevel: rack}, "
                  "subGroups: [{name: a}, {name: b, parent: a, topologyConstraint: "
                  "{requiredTopologyLevel: zone}}]")
                .reasons("g"),
            Codes{ReasonCode::LevelOrder});
}

TEST(LinkSubgroups, PodsNameLeaves) {
  std::string tree = pod_group("subGroups: [{name: serve}, {name: decode, parent: serve}]");
  Reading good = read(tree + pod("a", in("decode")));
  EXPECT_EQ(good.diagnostics(), Lines{});
  EXPECT_TRUE(good.reasons("g").empty());
  EXPECT_EQ(good.text(good.pod("a")->pod.subgroup), "decode");
  Reading reading = read(tree + pod("a", in("serve")) + pod("b", in("decod")) + pod("c", "") +
                         pod("d", in("decod")) + pod("e", in("decode")));
  EXPECT_EQ(reading.reasons("g"), Codes(3, ReasonCode::SubgroupUnknown));
  EXPECT_EQ(reading.gang("g")->errors[1].subject, "decod");
  EXPECT_EQ(
      reading.diagnostics(),
      (Lines{"in.yaml:4: doc 2: $.metadata.labels[\"kai.scheduler/subgroup-name\"]: found "
             "\"serve\", which has subgroups below it, expected the name of a leaf of the "
             "subgroups of g",
             "in.yaml:6: doc 3: $.metadata.labels[\"kai.scheduler/subgroup-name\"]: found "
             "\"decod\", expected the name of a leaf of the subgroups of g; did you mean "
             "\"decode\"?",
             "in.yaml:8: doc 4: found no label kai.scheduler/subgroup-name, expected the name of a "
             "leaf of the subgroups of g"}));
  // Of a pod that has finished nothing is asked.
  EXPECT_TRUE(
      read(tree + pod("a", "", "spec: {}, status: {phase: Succeeded}")).reasons("g").empty());
}

TEST(LinkSubgroups, WithoutSubgroupsTheNameMeansNothing) {
  Reading reading = read(pod_group("minMember: 1") + pod("a", in("decode")));
  EXPECT_EQ(reading.diagnostics(), Lines{});
  EXPECT_FALSE(reading.pod("a")->pod.subgroup.valid());
}

}  // namespace
}  // namespace trellis::test::link_subgroups_test
