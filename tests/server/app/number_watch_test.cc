#include "server/app/number_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/server/system/temporary_folder.h"

namespace trellis::number_watch_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr const char* kConfig =
    "plugins:\n"
    "  labelscore:\n"
    "    arguments: {scores: [{file: power.json, worst: 4, best: 1}]}\n";

class NumberWatchTest : public testing::Test {
 protected:
  NumberWatchTest() {
    folder_.write("trellis.yaml", kConfig);
    folder_.write("power.json", R"({"n1": 1})");
    config_ = read_config(folder_.file("trellis.yaml")).config;
  }

  NumberWatch watch() const { return {folder_.file("trellis.yaml"), config_}; }

  test::TemporaryFolder folder_;
  Config config_;
};

TEST_F(NumberWatchTest, ReadsAFileOnceItIsTheSameTwice) {
  NumberWatch watch = this->watch();
  EXPECT_FALSE(watch.poll(config_).has_value());
  folder_.write("power.json", R"({"n1": 2})");
  EXPECT_FALSE(watch.poll(config_).has_value());
  std::optional<NodeNumberReading> reading = watch.poll(config_);
  ASSERT_TRUE(reading.has_value());
  EXPECT_THAT(reading->diagnostics, IsEmpty());
  EXPECT_THAT(reading->numbers, ElementsAre(Pair("power.json", ElementsAre(Pair("n1", 2.0)))));
  EXPECT_FALSE(watch.poll(config_).has_value());
}

TEST_F(NumberWatchTest, AFileThatIsStillWrittenIsNotRead) {
  NumberWatch watch = this->watch();
  for (int i = 0; i < 3; ++i) {
    folder_.write("power.json", "{\"n1\": " + std::to_string(i) + "}");
    EXPECT_FALSE(watch.poll(config_).has_value());
  }
  EXPECT_TRUE(watch.poll(config_).has_value());
}

TEST_F(NumberWatchTest, AFileThatIsGoneIsAnErrorOnce) {
  NumberWatch watch = this->watch();
  folder_.remove("power.json");
  EXPECT_FALSE(watch.poll(config_).has_value());
  std::optional<NodeNumberReading> reading = watch.poll(config_);
  ASSERT_TRUE(reading.has_value());
  EXPECT_THAT(reading->diagnostics, SizeIs(1));
  EXPECT_FALSE(watch.poll(config_).has_value());
}

TEST_F(NumberWatchTest, AnotherConfigurationNamesOtherFiles) {
  NumberWatch watch = this->watch();
  folder_.write("power.json", R"({"n1": 2})");
  watch.follow(config_);
  EXPECT_FALSE(watch.poll(config_).has_value());
  EXPECT_FALSE(watch.poll(config_).has_value());
}

}  // namespace
}  // namespace trellis::number_watch_test
