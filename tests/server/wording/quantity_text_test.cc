#include "server/wording/quantity_text.h"

#include <gtest/gtest.h>

namespace trellis::quantity_text_test {
namespace {

TEST(QuantityText, UsesTheSuffixesOfTheUnit) {
  EXPECT_EQ(quantity_text(1500, Unit::MilliCpu), "1500m");
  EXPECT_EQ(quantity_text(2000, Unit::MilliCpu), "2");
  EXPECT_EQ(quantity_text(500, Unit::MilliGpu), "0.5");
  EXPECT_EQ(quantity_text(4000, Unit::MilliGpu), "4");
  EXPECT_EQ(quantity_text(110, Unit::Count), "110");
}

TEST(QuantityText, BytesInTheShortestExactForm) {
  EXPECT_EQ(quantity_text(int64_t{960} << 30, Unit::Bytes), "960Gi");
  EXPECT_EQ(quantity_text(1536 << 20, Unit::Bytes), "1536Mi");
  EXPECT_EQ(quantity_text(20'000'000'000, Unit::Bytes), "20G");
  EXPECT_EQ(quantity_text(1023, Unit::Bytes), "1023");
  EXPECT_EQ(quantity_text(0, Unit::Bytes), "0");
  EXPECT_EQ(quantity_text(-(int64_t{1} << 30), Unit::Bytes), "-1Gi");
}

TEST(QuantityText, ForPeople) {
  EXPECT_EQ(people_quantity_text(6'360'000, Unit::MilliCpu), "6,360 cores");
  EXPECT_EQ(people_quantity_text(1000, Unit::MilliCpu), "1 core");
  EXPECT_EQ(people_quantity_text(1500, Unit::MilliCpu), "1.5 cores");
  EXPECT_EQ(people_quantity_text(67'324'000'000, Unit::Bytes), "62.7 GiB");
  EXPECT_EQ(people_quantity_text(int64_t{1600} << 30, Unit::Bytes), "1,600 GiB");
  EXPECT_EQ(people_quantity_text(int64_t{60} << 40, Unit::Bytes), "60 TiB");
  EXPECT_EQ(people_quantity_text(512, Unit::Bytes), "512 B");
  EXPECT_EQ(people_quantity_text(0, Unit::Bytes), "0 B");
  EXPECT_EQ(people_quantity_text(12'345'500, Unit::MilliGpu), "12,345.5");
  EXPECT_EQ(people_quantity_text(12'345, Unit::Count), "12,345");
}

TEST(QuantityText, MilliKeepsEveryDigitThatCounts) {
  EXPECT_EQ(milli_text(1), "0.001");
  EXPECT_EQ(milli_text(460), "0.46");
  EXPECT_EQ(milli_text(-1250), "-1.25");
  EXPECT_EQ(milli_text(0), "0");
}

TEST(QuantityText, GroupsThousands) {
  EXPECT_EQ(grouped_text(0), "0");
  EXPECT_EQ(grouped_text(999), "999");
  EXPECT_EQ(grouped_text(1523), "1,523");
  EXPECT_EQ(grouped_text(-1234567), "-1,234,567");
}

}  // namespace
}  // namespace trellis::quantity_text_test
