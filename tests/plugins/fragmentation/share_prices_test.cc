#include "plugins/fragmentation/share_prices.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace trellis::share_prices_test {
namespace {

TEST(SharePrices, WithoutSharesEveryPartIsWorthItsSize) {
  SharePrices prices;
  SharePrices of_none{{}};
  for (int portion : {0, 10, 250, 500, 990, 1000}) {
    EXPECT_DOUBLE_EQ(prices.worth(portion), portion / 1000.0);
    EXPECT_DOUBLE_EQ(of_none.worth(portion), portion / 1000.0);
  }
}

TEST(SharePrices, WhatNoShareFillsIsWorthNothing) {
  std::vector<ShareDemand> mix = {{600, 1}};
  SharePrices prices(mix);
  EXPECT_DOUBLE_EQ(prices.worth(590), 0);
  EXPECT_DOUBLE_EQ(prices.worth(600), 1);
  EXPECT_DOUBLE_EQ(prices.worth(1000), 1);
}

TEST(SharePrices, HalvesFillDevicesExactly) {
  std::vector<ShareDemand> mix = {{500, 3}};
  SharePrices prices(mix);
  EXPECT_NEAR(prices.worth(490), 0, 1e-9);
  EXPECT_NEAR(prices.worth(500), 0.5, 1e-9);
  EXPECT_NEAR(prices.worth(990), 0.5, 1e-9);
}

// 70 % and 30 % fill a device together: what is left beside 70 % keeps its worth while there are
// enough small shares, and is worth little where there are few.
TEST(SharePrices, TheRestOfADeviceIsWorthWhatTheMixCanFill) {
  std::vector<ShareDemand> many = {{700, 1}, {300, 1}};
  std::vector<ShareDemand> few = {{700, 10}, {300, 1}};
  EXPECT_GT(SharePrices(many).worth(300), 0.2);
  EXPECT_LT(SharePrices(few).worth(300), 0.1);
}

TEST(SharePrices, MoreRoomIsNeverWorthLess) {
  Random random(7);
  for (int round = 0; round < 20; ++round) {
    std::vector<ShareDemand> mix;
    for (int i = 0; i < 6; ++i) {
      mix.push_back({static_cast<int32_t>(random.between(1, 999)),
                     static_cast<double>(random.between(1, 50))});
    }
    SharePrices prices(mix);
    for (int portion = 10; portion <= 1000; portion += 10) {
      EXPECT_GE(prices.worth(portion), prices.worth(portion - 10));
    }
    EXPECT_DOUBLE_EQ(prices.worth(1000), 1);
  }
}

}  // namespace
}  // namespace trellis::share_prices_test
