#include "plugins/labelscore/labelscore.h"

#include <gtest/gtest.h>

#include <string>

#include "server/config/config_reader.h"
#include "tests/support/world.h"

namespace trellis::labelscore_test {
namespace {

Config with_scores(const std::string& scores) {
  ConfigReading reading =
      read_config_text("c.yaml", "plugins: {labelscore: {arguments: {scores: " + scores + "}}}");
  EXPECT_FALSE(reading.has_errors());
  return reading.config;
}

struct Hall : World {
  explicit Hall(const std::string& scores) {
    config = with_scores(scores);
    node("a", {.cpu = 8, .labels = {{"watts", "300"}, {"disk", "hdd"}}});
    node("b", {.cpu = 8, .labels = {{"watts", "200.5"}, {"disk", "ssd"}}});
    node("c", {.cpu = 8, .labels = {{"watts", "many"}}});
    gang("g", {.count = 1, .pod = {.cpu = 1}});
  }
  std::string chosen() {
    cycle();
    return node_of("g-0");
  }
};

TEST(LabelScore, PrefersTheBestNumberWhicheverWayItLies) {
  EXPECT_EQ(Hall("[{label: watts, worst: 400, best: 100}]").chosen(), "b");
  EXPECT_EQ(Hall("[{label: watts, worst: 100, best: 400}]").chosen(), "a");
}

TEST(LabelScore, NumbersBeyondTheBoundsAreAsGoodAsTheBounds) {
  EXPECT_EQ(Hall("[{label: watts, worst: 500, best: 350}]").chosen(), "a");  // equal: by name
  EXPECT_EQ(Hall("[{label: watts, worst: 150, best: 100}]").chosen(), "a");
}

TEST(LabelScore, PrefersTheValueOfALabel) {
  EXPECT_EQ(Hall("[{label: disk, value: ssd}]").chosen(), "b");
  EXPECT_EQ(Hall("[{label: disk, value: tape}]").chosen(), "a");
  EXPECT_EQ(Hall("[{label: unheard-of, value: ssd}]").chosen(), "a");
}

TEST(LabelScore, WeighsRulesAgainstEachOther) {
  const std::string watts = "{label: watts, worst: 100, best: 300, weight: ";  // a 100, b 50
  EXPECT_EQ(Hall("[" + watts + "1}, {label: disk, value: ssd, weight: 0.25}]").chosen(), "a");
  EXPECT_EQ(Hall("[" + watts + "1}, {label: disk, value: ssd, weight: 0.75}]").chosen(), "b");
}

TEST(LabelScore, ReadsNumbersOfAFileByNode) {
  Hall hall("[{file: t.json, worst: 0, best: 9}]");
  hall.config.node_numbers["t.json"] = {{"b", -1}, {"c", 3}};
  EXPECT_EQ(hall.chosen(), "c");
}

TEST(LabelScore, WithoutRulesItDoesNotScore) {
  Hall hall("[]");
  hall.cycle();
  for (const auto& scorer : hall.scheduler().session().hooks().node_scorers) {
    EXPECT_NE(scorer.plugin, "labelscore");
  }
}

}  // namespace
}  // namespace trellis::labelscore_test
