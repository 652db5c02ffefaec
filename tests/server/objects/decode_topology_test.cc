#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_topology_test {
namespace {

TEST(DecodeTopology, BothGroupsAllVersions) {
  for (const char* version : {"kueue.x-k8s.io/v1beta2", "kueue.x-k8s.io/v1beta1",
                              "kueue.x-k8s.io/v1alpha1", "kai.scheduler/v1alpha1"}) {
    Reading reading = read("apiVersion: " + std::string(version) + R"(
kind: Topology
metadata: {name: t}
spec:
  levels:
  - {nodeLabel: example.com/block, alias: b}
  - nodeLabel: example.com/rack
  - nodeLabel: kubernetes.io/hostname
)");
    EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
    ASSERT_NE(reading.topology("t"), nullptr) << version;
    const std::vector<TopologyLevel>& levels = reading.topology("t")->levels;
    ASSERT_EQ(levels.size(), 3U);
    EXPECT_EQ(reading.text(levels[0].label), "example.com/block");
    EXPECT_EQ(reading.text(levels[0].alias), "b");
    EXPECT_FALSE(levels[1].alias.valid());
  }
}

TEST(DecodeTopology, Refuses) {
  for (const char* spec : {"{}", "{levels: []}", "{levels: {}}", "{levels: [x]}", "{levels: [{}]}",
                           "{levels: [{nodeLabel: ''}]}", "{levels: [{nodeLabel: 5}]}",
                           "{levels: [{nodeLabel: a}, {nodeLabel: a}]}",
                           "{levels: [{nodeLabel: a}, {nodeLabel: b, alias: a}]}",
                           "{levels: [{nodeLabel: kubernetes.io/hostname}, {nodeLabel: a}]}",
                           "{levels: [{nodeLable: a}]}", "{level: [{nodeLabel: a}]}"}) {
    Reading reading = read(
        "apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: "
        "t}\nspec: " +
        std::string(spec) + "\n");
    EXPECT_TRUE(reading.manifest.has_errors()) << spec;
    EXPECT_EQ(reading.topology("t"), nullptr) << spec;
  }
  std::string many = "{levels: [";
  for (int i = 0; i < 17; ++i) many += "{nodeLabel: l" + std::to_string(i) + "},";
  EXPECT_TRUE(
      read("apiVersion: kai.scheduler/v1alpha1\nkind: Topology\nmetadata: {name: t}\nspec: " +
           many + "]}\n")
          .manifest.has_errors());
}

TEST(DecodeTopology, OneNameInBothGroups) {
  auto both = [](const char* second) {
    return read(R"(
apiVersion: kai.scheduler/v1alpha1
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: a}]}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: Topology
metadata: {name: t}
spec: {levels: [{nodeLabel: )" +
                std::string(second) + "}]}\n");
  };
  EXPECT_EQ(both("a").diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(both("b").diagnostics(),
            std::vector<std::string>{
                "in.yaml:9: doc 2: $.metadata.name: found Topology t a second time, expected each "
                "object once (the first is at in.yaml:2 (doc 1))"});
}

}  // namespace
}  // namespace trellis::test::decode_topology_test
