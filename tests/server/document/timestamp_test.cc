#include "server/document/timestamp.h"

#include <gtest/gtest.h>

namespace trellis::timestamp_test {
namespace {

TEST(Timestamp, KnownMoments) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(parse_timestamp("2026-01-01T12:00:00Z"), 1'767'268'800 * kSecondUs);
  EXPECT_EQ(parse_timestamp("2000-02-29T23:59:59Z"), 951'868'799 * kSecondUs);
  EXPECT_EQ(parse_timestamp("1969-12-31T23:59:59Z"), -kSecondUs);
}

TEST(Timestamp, FractionsAndOffsets) {
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.5Z"), 500'000);
  EXPECT_EQ(parse_timestamp("1970-01-01T00:00:00.123456789Z"), 123'456);
  EXPECT_EQ(parse_timestamp("1970-01-01T02:00:00+02:00"), 0);
  EXPECT_EQ(parse_timestamp("1969-12-31T18:30:00-05:30"), 0);
  EXPECT_EQ(parse_timestamp("1970-01-01t00:00:01z"), kSecondUs);
  EXPECT_EQ(parse_timestamp("2016-12-31T23:59:60Z"), parse_timestamp("2017-01-01T00:00:00Z"));
}

TEST(Timestamp, RefusesWhatIsNone) {
  for (const char* text :
       {"", "2026", "2026-01-01", "2026-01-01T12:00:00", "2026-01-01 12:00:00Z",
        "2026-13-01T00:00:00Z", "2026-02-29T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "2026-01-01T00:00:61Z",
        "2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "2026-01-01T00:00:00+2:00",
        "26-01-01T00:00:00Z", "2026-1-01T00:00:00Z", "yesterday"}) {
    EXPECT_FALSE(parse_timestamp(text)) << text;
  }
}

TEST(Timestamp, FormatIsReadBack) {
  for (const char* text : {"2026-01-01T12:00:00Z", "1970-01-01T00:00:00Z", "0000-01-01T00:00:00Z",
                           "9999-12-31T23:59:59.999999Z", "1900-02-28T01:02:03.000004Z",
                           "2024-02-29T00:00:00Z", "2023-03-01T00:00:00Z"}) {
    EXPECT_EQ(format_timestamp(*parse_timestamp(text)), text);
  }
  EXPECT_EQ(format_timestamp(INT64_MIN), "0000-01-01T00:00:00Z");
  EXPECT_EQ(format_timestamp(INT64_MAX), "9999-12-31T23:59:59.999999Z");
}

TEST(Timestamp, EveryDayOfACycleIsReadBack) {
  constexpr int64_t kDay = 86'400 * kSecondUs;
  TimeUs first = *parse_timestamp("1800-01-01T00:00:00Z");
  std::string before;
  for (int64_t day = 0; day < 146'097; ++day) {
    std::string text = format_timestamp(first + day * kDay);
    ASSERT_EQ(parse_timestamp(text), first + day * kDay) << text;
    ASSERT_LT(before, text);
    before = text;
  }
}

}  // namespace
}  // namespace trellis::timestamp_test
