#include "server/document/quantity.h"

#include <gtest/gtest.h>

#include <string>

#include "framework/resources.h"

namespace trellis::quantity_test {
namespace {

int64_t amount(const char* text, int decimals = 0) {
  std::optional<Quantity> quantity = parse_quantity(text, decimals);
  EXPECT_TRUE(quantity) << text;
  return quantity ? quantity->amount : -999;
}

TEST(Quantity, Suffixes) {
  EXPECT_EQ(amount("1"), 1);
  EXPECT_EQ(amount("1k"), 1000);
  EXPECT_EQ(amount("1M"), 1'000'000);
  EXPECT_EQ(amount("2G"), 2'000'000'000);
  EXPECT_EQ(amount("3T"), 3'000'000'000'000);
  EXPECT_EQ(amount("2P"), 2'000'000'000'000'000);
  EXPECT_EQ(amount("0.0001E"), 100'000'000'000'000);
  EXPECT_EQ(amount("1Ki"), 1 << 10);
  EXPECT_EQ(amount("1Mi"), 1 << 20);
  EXPECT_EQ(amount("1Gi"), 1 << 30);
  EXPECT_EQ(amount("1Ti"), int64_t{1} << 40);
  EXPECT_EQ(amount("1Pi"), int64_t{1} << 50);
  EXPECT_EQ(amount("0.0009765625Ei"), int64_t{1} << 50);
  EXPECT_EQ(amount("1500m", 3), 1500);
  EXPECT_EQ(amount("1500000u", 3), 1500);
  EXPECT_EQ(amount("1500000000n", 3), 1500);
}

TEST(Quantity, DecimalsAndExponents) {
  EXPECT_EQ(amount("0.5", 3), 500);
  EXPECT_EQ(amount(".5", 3), 500);
  EXPECT_EQ(amount("5.", 3), 5000);
  EXPECT_EQ(amount("1.5Gi"), 3 << 29);
  EXPECT_EQ(amount("1e3"), 1000);
  EXPECT_EQ(amount("1E3"), 1000);
  EXPECT_EQ(amount("1e+3"), 1000);
  EXPECT_EQ(amount("5000e-3"), 5);
  EXPECT_EQ(amount("+7"), 7);
  EXPECT_EQ(amount("007"), 7);
  EXPECT_EQ(amount("0"), 0);
  EXPECT_EQ(amount("0.000"), 0);
}

TEST(Quantity, RoundsAwayFromZero) {
  EXPECT_EQ(amount("1m"), 1);
  EXPECT_EQ(amount("1001m"), 2);
  EXPECT_EQ(amount("0.0001", 3), 1);
  EXPECT_EQ(amount("1n", 3), 1);
  EXPECT_EQ(amount("1e-100"), 1);
  EXPECT_EQ(amount("1.0000000000000000000000000000000001"), 2);
  EXPECT_EQ(amount("1.0000000000000000000000000000000000"), 1);
  EXPECT_EQ(amount("-1001m"), -2);
  EXPECT_FALSE(parse_quantity("1001m", 0)->exact);
  EXPECT_TRUE(parse_quantity("1000m", 0)->exact);
}

TEST(Quantity, Saturates) {
  EXPECT_EQ(amount("2Ei"), kMaxAmount);
  EXPECT_EQ(amount("1e100000000000"), kMaxAmount);
  EXPECT_EQ(amount("99999999999999999999999999999999"), kMaxAmount);
  EXPECT_EQ(amount("100E", 3), kMaxAmount);
  EXPECT_EQ(amount("-2Ei"), -kMaxAmount);
  EXPECT_FALSE(parse_quantity("2Ei", 0)->exact);
  EXPECT_EQ(amount("2251799813685247"), kMaxAmount - 1);
  EXPECT_EQ(amount("2251799813685248"), kMaxAmount);
}

TEST(Quantity, NegativeIsSeenEvenWhenItIsSmall) {
  EXPECT_TRUE(parse_quantity("-1n", 0)->negative);
  EXPECT_TRUE(parse_quantity("-1", 0)->negative);
  EXPECT_FALSE(parse_quantity("-0", 0)->negative);
  EXPECT_FALSE(parse_quantity("-0.00", 0)->negative);
}

TEST(Quantity, RefusesWhatIsNone) {
  for (const char* text :
       {"",     " ",     "1 ",       " 1",    "abc", "1Gig", "1gi", "1KI", "1Kb", "1e",
        "1e+",  "1e1.5", "1..2",     "1.2.3", "--1", "+-1",  ".",   "-",   "1ki", "1 Gi",
        "0x10", "1_000", "Infinity", "NaN",   "1mm", "1Mi2", "e3",  "1i",  "1eM", "1E2Ki"}) {
    EXPECT_FALSE(parse_quantity(text, 0)) << "'" << text << "'";
  }
}

// The forms of Kubernetes' documentation, each with what it is equal to.
TEST(Quantity, EqualForms) {
  const char* pairs[][2] = {{"128974848", "123Mi"},  {"129e6", "129M"},  {"1.5Gi", "1536Mi"},
                            {"0.1", "100m"},         {"1000m", "1"},     {"0.5Mi", "512Ki"},
                            {"1000k", "1M"},         {"1e9", "1G"},      {"2.5e3", "2500"},
                            {"0.0009765625Ki", "1"}, {"1000000n", "1m"}, {"12.0", "12"}};
  for (const auto& pair : pairs) EXPECT_EQ(amount(pair[0], 6), amount(pair[1], 6)) << pair[0];
}

}  // namespace
}  // namespace trellis::quantity_test
