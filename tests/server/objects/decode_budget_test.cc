#include <gtest/gtest.h>

#include "server/objects/decoders.h"
#include "tests/server/manifest/reading.h"

namespace trellis::test::decode_budget_test {
namespace {

Reading budget(const std::string& spec, const std::string& rest = "") {
  return read(
      "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata: {name: b, namespace: web}\n"
      "spec: " +
      spec + "\n" + rest);
}

const DisruptionBudget& only(const Reading& reading) {
  EXPECT_EQ(reading.diagnostics(), std::vector<std::string>{});
  EXPECT_EQ(reading.manifest.objects.budgets.size(), 1U);
  return reading.manifest.objects.budgets.at(0);
}

TEST(DecodeBudget, NumbersAndShares) {
  Reading number = budget("{minAvailable: 3, selector: {}}", "status: {disruptionsAllowed: 2}");
  EXPECT_EQ(number.text(only(number).name_space), "web");
  EXPECT_EQ(only(number).name, "b");
  EXPECT_EQ(only(number).min_available->pods, 3);
  EXPECT_EQ(only(number).min_available->percent, std::nullopt);
  EXPECT_EQ(only(number).max_unavailable, std::nullopt);
  EXPECT_EQ(only(number).disruptions_allowed, 2);
  Reading share = budget("{maxUnavailable: 25%, selector: {}}");
  EXPECT_EQ(only(share).max_unavailable->percent, 25);
  EXPECT_EQ(only(share).disruptions_allowed, std::nullopt);
}

TEST(DecodeBudget, Selectors) {
  Reading labels = budget(
      "{selector: {matchLabels: {app: a}, matchExpressions: [{key: tier, operator: Exists}]}}");
  ASSERT_EQ(only(labels).labels.size(), 2U);
  EXPECT_FALSE(only(labels).selects_nothing);
  Reading all = budget("{selector: {}}");
  EXPECT_TRUE(only(all).labels.empty());
  EXPECT_FALSE(only(all).selects_nothing);
  EXPECT_TRUE(only(budget("{minAvailable: 1}")).selects_nothing);
}

TEST(DecodeBudget, Refuses) {
  for (const char* spec :
       {"{minAvailable: 1, maxUnavailable: 1}", "{minAvailable: -1}", "{minAvailable: 1.5}",
        "{minAvailable: half}", "{maxUnavailable: '-5%'}", "{maxUnavailable: '%'}",
        "{maxUnavailable: '5 %'}", "{selector: [a]}", "{minAvailabel: 1}"}) {
    Reading reading = budget(spec);
    EXPECT_TRUE(reading.manifest.has_errors()) << spec;
    EXPECT_TRUE(reading.manifest.objects.budgets.empty()) << spec;
  }
}

}  // namespace
}  // namespace trellis::test::decode_budget_test
