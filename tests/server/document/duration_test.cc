#include "server/document/duration.h"

#include <gtest/gtest.h>

namespace trellis::duration_test {
namespace {

TEST(Duration, ReadsSequencesOfNumbersWithUnits) {
  EXPECT_EQ(parse_duration("60s"), 60 * kSecondUs);
  EXPECT_EQ(parse_duration("1m30s"), 90 * kSecondUs);
  EXPECT_EQ(parse_duration("500ms"), kSecondUs / 2);
  EXPECT_EQ(parse_duration("250us"), 250);
  EXPECT_EQ(parse_duration("1.5h"), 5400 * kSecondUs);
  EXPECT_EQ(parse_duration("2d"), 172'800 * kSecondUs);
  EXPECT_EQ(parse_duration("1d12h"), 129'600 * kSecondUs);
  EXPECT_EQ(parse_duration(".5s"), kSecondUs / 2);
  EXPECT_EQ(parse_duration("1.1234567s"), 1'123'456);
  EXPECT_EQ(parse_duration("-1s"), -kSecondUs);
  EXPECT_EQ(parse_duration("0"), 0);
  EXPECT_EQ(parse_duration("0s"), 0);
}

TEST(Duration, RefusesWhatIsNone) {
  for (std::string_view text : {"", "s", "60", "1x", "1s ", "--1s", "1m30", "-", "inf", "d",
                                "12h2d", "1d-5h", "1d+5h", "99999999999999999999s", "200000d"}) {
    EXPECT_EQ(parse_duration(text), std::nullopt) << text;
  }
}

TEST(Duration, PrintsWhatReadsBack) {
  EXPECT_EQ(format_duration(60 * kSecondUs), "60s");
  EXPECT_EQ(format_duration(0), "0s");
  EXPECT_EQ(format_duration(kSecondUs / 2), "500ms");
  EXPECT_EQ(format_duration(3600 * kSecondUs), "1h");
  for (TimeUs duration : {TimeUs{1}, TimeUs{999}, TimeUs{1'500'000}, 119 * kSecondUs,
                          125 * kSecondUs, -kSecondUs, -90'000 * kSecondUs, 86'461'001'001}) {
    EXPECT_EQ(parse_duration(format_duration(duration)), duration) << format_duration(duration);
  }
}

}  // namespace
}  // namespace trellis::duration_test
