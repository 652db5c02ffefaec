#include "server/config/usage_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::usage_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(UsageFile, IsAMapOfQueuesToHours) {
  UsageReading reading = read_usage_text("past.yaml", "research: 12.5\n\"team a\": 0\nops: 1e3\n");
  EXPECT_TRUE(reading.diagnostics.empty());
  EXPECT_THAT(reading.usage,
              ElementsAre(Pair("ops", 1000.0), Pair("research", 12.5), Pair("team a", 0.0)));
}

TEST(UsageFile, AnEmptyOneSaysNothing) {
  UsageReading reading = read_usage_text("past.yaml", "# nothing yet\n");
  EXPECT_TRUE(reading.diagnostics.empty());
  EXPECT_TRUE(reading.usage.empty());
}

TEST(UsageFile, WhatIsWrongHasItsLine) {
  UsageReading reading = read_usage_text("past.yaml", "a: 1\nb: many\nc: -2\nd: [1]\n");
  ASSERT_THAT(reading.diagnostics, SizeIs(3));
  EXPECT_EQ(reading.diagnostics[0].file, "past.yaml");
  EXPECT_EQ(reading.diagnostics[0].line, 2);
  EXPECT_EQ(reading.diagnostics[1].line, 3);
  EXPECT_EQ(reading.diagnostics[2].line, 4);
  EXPECT_THAT(reading.usage, ElementsAre(Pair("a", 1.0)));
  EXPECT_THAT(read_usage_text("past.yaml", "- a\n").diagnostics, SizeIs(1));
}

TEST(UsageFile, AMissingOneIsAnError) {
  UsageReading reading = read_usage("/nowhere/past.yaml");
  ASSERT_THAT(reading.diagnostics, SizeIs(1));
  EXPECT_EQ(reading.diagnostics[0].file, "/nowhere/past.yaml");
}

}  // namespace
}  // namespace trellis::usage_file_test
