#include "server/grouping/cron_schedule.h"

#include <gtest/gtest.h>

#include <string>

#include "server/document/timestamp.h"

namespace trellis::cron_schedule_test {
namespace {

std::string next(const char* schedule, const char* after) {
  std::optional<TimeUs> run = next_run(schedule, *parse_timestamp(after));
  return run ? format_timestamp(*run) : "none";
}

TEST(CronSchedule, IsStrictlyAfterTheTime) {
  EXPECT_EQ(next("30 2 * * *", "2026-03-02T02:29:59Z"), "2026-03-02T02:30:00Z");
  EXPECT_EQ(next("30 2 * * *", "2026-03-02T02:30:00Z"), "2026-03-03T02:30:00Z");
  EXPECT_EQ(next("*/15 * * * *", "2026-03-02T23:45:00Z"), "2026-03-03T00:00:00Z");
}

TEST(CronSchedule, ReadsListsRangesStepsAndNames) {
  EXPECT_EQ(next("5,10 8-17/4 * * *", "2026-03-02T08:10:00Z"), "2026-03-02T12:05:00Z");
  EXPECT_EQ(next("0 0 * feb mon-fri", "2026-03-02T00:00:00Z"), "2027-02-01T00:00:00Z");
  EXPECT_EQ(next("0 0 29 2 *", "2026-03-02T00:00:00Z"), "2028-02-29T00:00:00Z");
  EXPECT_EQ(next("0 0 * * 7", "2026-03-02T00:00:00Z"), "2026-03-08T00:00:00Z");
  EXPECT_EQ(next("@monthly", "2026-03-02T00:00:00Z"), "2026-04-01T00:00:00Z");
}

TEST(CronSchedule, TakesEitherDayWhereBothAreGiven) {
  EXPECT_EQ(next("0 0 13 * fri", "2026-03-02T00:00:00Z"), "2026-03-06T00:00:00Z");
  EXPECT_EQ(next("0 0 4 * fri", "2026-03-02T00:00:00Z"), "2026-03-04T00:00:00Z");
}

TEST(CronSchedule, RefusesWhatIsNoSchedule) {
  for (const char* schedule : {"", "* * * *", "60 * * * *", "* * * * * *", "5-1 * * * *",
                               "*/0 * * * *", "@sometimes", "x * * * *", "0 0 31 2 *"}) {
    EXPECT_EQ(next(schedule, "2026-03-02T00:00:00Z"), "none") << schedule;
  }
}

}  // namespace
}  // namespace trellis::cron_schedule_test
