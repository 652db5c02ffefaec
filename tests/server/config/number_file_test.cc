#include "server/config/number_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace trellis::number_file_test {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::SizeIs;

TEST(NumberFile, OfNodesMayHaveNegativeNumbersAndBeJson) {
  NumberReading reading = read_numbers_text("t.json", R"({"n1": -2.5, "n2": 40})", kNodeNumberForm);
  EXPECT_TRUE(reading.diagnostics.empty());
  EXPECT_THAT(reading.numbers, ElementsAre(Pair("n1", -2.5), Pair("n2", 40.0)));
}

TEST(NumberFile, IsAMapOfQueuesToHours) {
  NumberReading reading =
      read_numbers_text("past.yaml", "research: 12.5\n\"team a\": 0\nops: 1e3\n", kUsageForm);
  EXPECT_TRUE(reading.diagnostics.empty());
  EXPECT_THAT(reading.numbers,
              ElementsAre(Pair("ops", 1000.0), Pair("research", 12.5), Pair("team a", 0.0)));
}

TEST(NumberFile, AnEmptyOneSaysNothing) {
  NumberReading reading = read_numbers_text("past.yaml", "# nothing yet\n", kUsageForm);
  EXPECT_TRUE(reading.diagnostics.empty());
  EXPECT_TRUE(reading.numbers.empty());
}

TEST(NumberFile, WhatIsWrongHasItsLine) {
  NumberReading reading =
      read_numbers_text("past.yaml", "a: 1\nb: many\nc: -2\nd: [1]\n", kUsageForm);
  ASSERT_THAT(reading.diagnostics, SizeIs(3));
  EXPECT_EQ(reading.diagnostics[0].file, "past.yaml");
  EXPECT_EQ(reading.diagnostics[0].line, 2);
  EXPECT_EQ(reading.diagnostics[1].line, 3);
  EXPECT_EQ(reading.diagnostics[2].line, 4);
  EXPECT_THAT(reading.numbers, ElementsAre(Pair("a", 1.0)));
  EXPECT_THAT(read_numbers_text("past.yaml", "- a\n", kUsageForm).diagnostics, SizeIs(1));
}

TEST(NumberFile, AMissingOneIsAnError) {
  NumberReading reading = read_numbers("/nowhere/past.yaml", kUsageForm);
  ASSERT_THAT(reading.diagnostics, SizeIs(1));
  EXPECT_EQ(reading.diagnostics[0].file, "/nowhere/past.yaml");
}

}  // namespace
}  // namespace trellis::number_file_test
