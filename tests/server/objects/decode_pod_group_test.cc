#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_pod_group_test {
namespace {

constexpr const char* kTopology = R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: network}
spec: {levels: [{nodeLabel: example.com/zone}, {nodeLabel: example.com/rack, alias: shelf},
                {nodeLabel: kubernetes.io/hostname}]}
---
)";

Reading group(const std::string& spec, const std::string& metadata = "") {
  return read(std::string(kTopology) +
              "apiVersion: scheduling.run.ai/v2alpha2\nkind: PodGroup\nmetadata: {name: g" +
              metadata + "}\nspec: " + spec + "\n");
}

std::string constraint(const Reading& reading) {
  const TopologyConstraint& asked = reading.gang("g")->topology;
  return reading.text(asked.topology) + "," + reading.text(asked.required) + "," +
         reading.text(asked.preferred);
}

TEST(DecodePodGroup, Fields) {
  Reading reading = group(
      "{minMember: 4, queue: q, priorityClassName: build, preemptibility: preemptible, "
      "topologyConstraint: {topology: network, requiredTopologyLevel: zone, "
      "preferredTopologyLevel: example.com/rack}}",
      ", uid: u, namespace: ns, creationTimestamp: \"1970-01-01T00:00:01Z\"");
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  const Gang* gang = reading.gang("g");
  EXPECT_EQ(reading.text(gang->name_space), "ns");
  EXPECT_EQ(gang->min_member, 4);
  EXPECT_EQ(gang->priority, 100);
  EXPECT_TRUE(gang->preemptible);
  EXPECT_EQ(gang->created, kSecondUs);
  EXPECT_EQ(gang->uid, "u");
  EXPECT_EQ(constraint(reading), "network,zone,example.com/rack");
  // No Queue in the input: all gangs are in the implicit one.
  EXPECT_FALSE(gang->queue.valid());
}

TEST(DecodePodGroup, Defaults) {
  Reading reading = group("{}");
  EXPECT_EQ(reading.gang("g")->min_member, 1);
  EXPECT_EQ(reading.gang("g")->priority, kDefaultPriority);
  EXPECT_TRUE(reading.gang("g")->preemptible);
  EXPECT_FALSE(group("{priorityClassName: build}").gang("g")->preemptible);
  EXPECT_FALSE(group("{preemptibility: non-preemptible}").gang("g")->preemptible);
}

TEST(DecodePodGroup, ConstraintByOtherWays) {
  EXPECT_EQ(constraint(group("{topologyConstraints: {topology: network, requiredTopologyLevel: "
                             "rack}}")),
            "network,rack,");
  EXPECT_EQ(constraint(group("{topologyConstraints: [{topology: network, requiredTopologyLevel: "
                             "rack}]}")),
            "network,rack,");
  EXPECT_EQ(constraint(group("{}",
                             ", annotations: {kai.scheduler/topology: network, "
                             "kai.scheduler/topology-preferred-placement: shelf}")),
            "network,,shelf");
  // The spec wins, word by word.
  EXPECT_EQ(constraint(group("{topologyConstraint: {topology: network}}",
                             ", annotations: {kai.scheduler/topology-required-placement: zone}")),
            "network,zone,");
  EXPECT_EQ(constraint(group("{topologyConstraint: {topology: network, requiredTopologyLevel: "
                             "rack}}",
                             ", annotations: {kai.scheduler/topology-required-placement: zone}")),
            "network,rack,");
  // Levels of another topology are none of this one.
  EXPECT_EQ(constraint(group("{topologyConstraint: {topology: network, requiredTopologyLevel: "
                             "rack}}",
                             ", annotations: {kai.scheduler/topology: other, "
                             "kai.scheduler/topology-preferred-placement: row}")),
            "network,rack,");
}

TEST(DecodePodGroup, ConstraintsThatCannotBeUnderstood) {
  auto check = [](const char* asked, ReasonCode code, const char* message) {
    Reading reading = group("{topologyConstraint: {" + std::string(asked) + "}}");
    EXPECT_EQ(reading.reasons("g"), std::vector<ReasonCode>{code}) << asked;
    ASSERT_EQ(reading.diagnostics().size(), 1U) << asked;
    EXPECT_EQ(reading.diagnostics()[0],
              "in.yaml:11: doc 2: $.spec.topologyConstraint." + std::string(message));
  };
  check("requiredTopologyLevel: rack", ReasonCode::TopologyNotNamed,
        "requiredTopologyLevel: found the level \"rack\" without a topology, expected the name of "
        "its Topology beside it");
  check("topology: netwrok, requiredTopologyLevel: rack", ReasonCode::TopologyNotFound,
        "topology: found \"netwrok\", expected the name of a Topology; did you mean \"network\"?");
  check("topology: network, requiredTopologyLevel: rak", ReasonCode::LevelUnknown,
        "requiredTopologyLevel: found \"rak\", expected a level of Topology \"network\" "
        "(example.com/zone, example.com/rack, kubernetes.io/hostname); did you mean \"rack\"?");
  check("topology: network, requiredTopologyLevel: rack, preferredTopologyLevel: zone",
        ReasonCode::LevelOrder,
        "preferredTopologyLevel: found the preferred level \"zone\", coarser than the required "
        "level \"rack\", expected the required level or a finer one");
}

TEST(DecodePodGroup, AWarningWhereALevelIsMissing) {
  Reading reading = group("{topologyConstraint: {topology: network}}");
  EXPECT_FALSE(reading.manifest.has_errors());
  EXPECT_EQ(reading.diagnostics().size(), 1U);
  EXPECT_TRUE(reading.reasons("g").empty());
}

TEST(DecodePodGroup, SubgroupsThatHaveErrors) {
  for (const char* groups :
       {"[{minMember: 1}]", "[{name: a}, {name: a}]", "[a]", "[{name: a, minMembers: 1}]",
        "[{name: a, minMember: -1}]", "[{name: a, minSubGroup: 0}]", "{}"}) {
    Reading bad = group("{subGroups: " + std::string(groups) + "}");
    EXPECT_TRUE(bad.manifest.has_errors()) << groups;
    EXPECT_EQ(bad.reasons("g"), std::vector<ReasonCode>{ReasonCode::InvalidObject}) << groups;
  }
}

TEST(DecodePodGroup, Refuses) {
  for (const char* spec :
       {"{minMember: 0}", "{minMember: -1}", "{minMember: '3'}", "{minMember: 2.5}",
        "{minMember: 3000000000}", "{preemptibility: preemptable}", "{topologyConstraint: rack}",
        "{topologyConstraint: {level: rack}}", "{minMembers: 3}", "{subgroups: []}",
        "{topologyConstraints: [{}, {}]}", "[]"}) {
    Reading reading = group(spec);
    EXPECT_TRUE(reading.manifest.has_errors()) << spec;
    EXPECT_EQ(reading.reasons("g"), std::vector<ReasonCode>{ReasonCode::InvalidObject}) << spec;
  }
  EXPECT_FALSE(group("{minMember: 3.0}").manifest.has_errors());
  EXPECT_FALSE(group("{somethingOfLater: 3}").manifest.has_errors());
}

}  // namespace
}  // namespace trellis::test::decode_pod_group_test
