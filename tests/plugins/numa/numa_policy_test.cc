#include "plugins/numa/numa_policy.h"

#include <gtest/gtest.h>

namespace trellis::numa_policy_test {
namespace {

NumaAttributes with(std::vector<std::string> policies,
                    std::vector<NumaAttributes::Attribute> attributes = {}) {
  return {std::move(policies), std::move(attributes)};
}

TEST(NumaSettings, NothingSaidIsNoPolicy) {
  EXPECT_EQ(numa_settings({}, NumaRules::Kubelet),
            (NumaSettings{NumaPolicy::None, NumaScope::Container, 8}));
}

TEST(NumaSettings, DeprecatedNamesSetPolicyAndScope) {
  EXPECT_EQ(numa_settings(with({"RestrictedPodLevel"}), NumaRules::Upstream),
            (NumaSettings{NumaPolicy::Restricted, NumaScope::Pod}));
  EXPECT_EQ(numa_settings(with({"SingleNUMANodeContainerLevel"}), NumaRules::Upstream),
            (NumaSettings{NumaPolicy::SingleNode, NumaScope::Container}));
}

TEST(NumaSettings, BareNamesAreNotUpstreams) {
  NumaAttributes bare = with({"SingleNumaNode"});
  EXPECT_EQ(numa_settings(bare, NumaRules::Kubelet).policy, NumaPolicy::SingleNode);
  EXPECT_EQ(numa_settings(bare, NumaRules::Upstream).policy, NumaPolicy::None);
}

TEST(NumaSettings, AnUnknownNameLeavesItToTheNext) {
  NumaAttributes two = with({"Strict", "BestEffortPodLevel"});
  EXPECT_EQ(numa_settings(two, NumaRules::Kubelet),
            (NumaSettings{NumaPolicy::BestEffort, NumaScope::Pod}));
  EXPECT_EQ(numa_settings(two, NumaRules::Upstream), NumaSettings{});
}

TEST(NumaSettings, AttributesWinFieldByField) {
  NumaAttributes mixed = with({"SingleNUMANodePodLevel"}, {{"topologyManagerPolicy", "restricted"},
                                                           {"topologyManagerScope", "Container"},
                                                           {"topologyManagerMaxNUMANodes", "16"}});
  EXPECT_EQ(numa_settings(mixed, NumaRules::Upstream),
            (NumaSettings{NumaPolicy::Restricted, NumaScope::Pod, 16}));
}

TEST(NumaSettings, OfEqualAttributesTheLastKnownOneCounts) {
  NumaAttributes twice = with({}, {{"topologyManagerScope", "container"},
                                   {"topologyManagerScope", "pod"},
                                   {"topologyManagerScope", "Pod"}});
  EXPECT_EQ(numa_settings(twice, NumaRules::Upstream).scope, NumaScope::Pod);
}

TEST(NumaSettings, MostZonesIsAboveOneAndBounded) {
  EXPECT_EQ(most_zones_value("1"), std::nullopt);
  EXPECT_EQ(most_zones_value("-4"), std::nullopt);
  EXPECT_EQ(most_zones_value("8 "), std::nullopt);
  EXPECT_EQ(most_zones_value(""), std::nullopt);
  EXPECT_EQ(most_zones_value("2"), 2);
  EXPECT_EQ(most_zones_value("4096"), 1024);
  EXPECT_EQ(most_zones_value("99999999999999999999"), std::nullopt);
}

}  // namespace
}  // namespace trellis::numa_policy_test
