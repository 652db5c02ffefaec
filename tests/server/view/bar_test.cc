#include "server/view/bar.h"

#include <gtest/gtest.h>

namespace trellis::bar_test {
namespace {

TEST(Bar, ShowsTheUsedPart) {
  EXPECT_EQ(bar({220, 280}, 12, Glyphs::Unicode), "█████████░░░");
  EXPECT_EQ(bar({1, 2}, 4, Glyphs::Ascii), "##..");
}

TEST(Bar, FullOnlyWhenAllIsUsedAndEmptyOnlyWhenNothingIs) {
  EXPECT_EQ(bar({0, 1000}, 4, Glyphs::Ascii), "....");
  EXPECT_EQ(bar({1, 1000}, 4, Glyphs::Ascii), "#...");
  EXPECT_EQ(bar({999, 1000}, 4, Glyphs::Ascii), "###.");
  EXPECT_EQ(bar({1000, 1000}, 4, Glyphs::Ascii), "####");
}

TEST(Bar, StandsUpToOddShares) {
  EXPECT_EQ(bar({0, 0}, 4, Glyphs::Ascii), "....");
  EXPECT_EQ(bar({5, 4}, 4, Glyphs::Ascii), "####");  // over-full
  EXPECT_EQ(bar({-1, 4}, 4, Glyphs::Ascii), "....");
}

}  // namespace
}  // namespace trellis::bar_test
