#include "framework/daily_window.h"

#include <gtest/gtest.h>

#include "framework/moved_gpus.h"

namespace trellis::daily_window_test {
namespace {

constexpr TimeUs kHour = 3600 * kSecondUs;

TEST(DailyWindow, MayPassMidnight) {
  DailyWindow night = *parse_daily_window("22:00-06:00");
  EXPECT_TRUE(night.contains(23 * kHour));
  EXPECT_TRUE(night.contains(24 * kHour + 5 * kHour));
  EXPECT_TRUE(night.contains(-2 * kHour));
  EXPECT_FALSE(night.contains(6 * kHour));
  EXPECT_FALSE(night.contains(22 * kHour - 1));
  EXPECT_EQ(night.next_opening(0), 22 * kHour);
  EXPECT_EQ(night.next_opening(22 * kHour), 46 * kHour);
  EXPECT_EQ(to_string(night), "22:00-06:00");
}

TEST(DailyWindow, IsAPartOfTheDay) {
  DailyWindow noon = *parse_daily_window("11:30-13:05");
  EXPECT_FALSE(noon.contains(11 * kHour));
  EXPECT_TRUE(noon.contains(12 * kHour));
  EXPECT_FALSE(noon.contains(14 * kHour));
  EXPECT_EQ(to_string(noon), "11:30-13:05");
}

TEST(DailyWindow, IsTheWholeDayWithoutText) {
  DailyWindow day = *parse_daily_window("");
  EXPECT_TRUE(day.contains(0));
  EXPECT_TRUE(day.contains(13 * kHour));
  EXPECT_EQ(day.next_opening(0), kNoTime);
  EXPECT_EQ(to_string(day), "");
}

// 1970-01-01 was a Thursday.
TEST(DailyWindow, BelongsToTheDayOnWhichItOpens) {
  constexpr TimeUs kDay = 24 * kHour;
  DailyWindow weekend = *parse_daily_window("Fri-Sat 22:00-06:00");
  EXPECT_FALSE(weekend.contains(23 * kHour));
  EXPECT_FALSE(weekend.contains(kDay + 5 * kHour));       // Thursday's night
  EXPECT_TRUE(weekend.contains(kDay + 23 * kHour));       // Friday
  EXPECT_TRUE(weekend.contains(3 * kDay + 5 * kHour));    // Saturday's night
  EXPECT_FALSE(weekend.contains(3 * kDay + 23 * kHour));  // Sunday
  EXPECT_TRUE(weekend.contains(-5 * kDay + 5 * kHour));   // Friday's night, a week before
  EXPECT_EQ(weekend.next_opening(0), kDay + 22 * kHour);
  EXPECT_EQ(weekend.next_opening(2 * kDay + 22 * kHour), 8 * kDay + 22 * kHour);
  EXPECT_EQ(to_string(weekend), "Fri,Sat 22:00-06:00");
}

TEST(DailyWindow, MayBeWholeDays) {
  constexpr TimeUs kDay = 24 * kHour;
  DailyWindow days = *parse_daily_window("Sun-Mon,Wed");
  EXPECT_FALSE(days.contains(2 * kDay + 23 * kHour));
  EXPECT_TRUE(days.contains(3 * kDay));
  EXPECT_TRUE(days.contains(5 * kDay - 1));
  EXPECT_FALSE(days.contains(5 * kDay));
  EXPECT_EQ(days.next_opening(5 * kDay), 6 * kDay);
  EXPECT_EQ(to_string(days), "Mon,Wed,Sun");
  EXPECT_EQ(parse_daily_window("Mon-Sun"), DailyWindow());
}

TEST(DailyWindow, RefusesOtherTexts) {
  for (const char* text :
       {"22:00", "22-06", "24:00-06:00", "22:60-06:00", "22:00-6:00", "22:00-22:00",
        "22:00 - 06:00", "ab:cd-ef:gh", "22:00-06:00-", "Mon ", "Mon,", "Monday 22:00-06:00",
        "Mon- 22:00-06:00", "Mon 22:00", " 22:00-06:00"}) {
    EXPECT_FALSE(parse_daily_window(text)) << text;
  }
}

TEST(MovedGpus, CountForAnHourFromTheFirstMove) {
  MovedGpus moved = MovedGpus().with(5, 1000).with(10, 500);
  EXPECT_EQ(moved, (MovedGpus{5, 1500}));
  EXPECT_EQ(moved.spent(5 + kHourUs - 1), 1500);
  EXPECT_EQ(moved.spent(5 + kHourUs), 0);
  EXPECT_EQ(moved.with(5 + kHourUs, 250), (MovedGpus{5 + kHourUs, 250}));
}

}  // namespace
}  // namespace trellis::daily_window_test
