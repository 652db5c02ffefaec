#include "plugins/preferlabel/preferlabel.h"

#include <gtest/gtest.h>

#include "plugins/scores/score_magnitudes.h"
#include "server/config/config_reader.h"
#include "tests/support/world.h"

namespace trellis {
namespace {

ConfigReading prefer(const std::string& arguments) {
  return read_config_text("c.yaml", "plugins: {preferlabel: {arguments: " + arguments + "}}");
}

// Without the plugin the pod goes to the fullest node.
void fill(World& world, const std::string& arguments) {
  world.config = prefer(arguments).config;
  world.node("empty", {.cpu = 8, .labels = {{"disk", "ssd"}}});
  world.node("used", {.cpu = 8, .labels = {{"disk", "hdd"}}});
  world.node("used-and-bare", {.cpu = 8});
  world.gang("old", {.min_member = 1});
  world.pod("old-0", "old", {.cpu = 4, .node = "used"});
  world.pod("old-1", "old", {.cpu = 5, .node = "used-and-bare"});
  world.gang("g", {.count = 1, .pod = {.cpu = 1}});
}

std::string chosen(const std::string& arguments) {
  World world;
  fill(world, arguments);
  world.cycle();
  return world.node_of("g-0");
}

TEST(PreferLabel, TakesNodesThatCarryTheLabel) {
  EXPECT_EQ(chosen("{}"), "used-and-bare");
  EXPECT_EQ(chosen("{key: disk}"), "used");
  EXPECT_EQ(chosen("{key: disk, value: ssd}"), "empty");
  EXPECT_EQ(chosen("{key: disk, value: tape}"), "used-and-bare");
  EXPECT_EQ(chosen("{key: unheard-of}"), "used-and-bare");
}

TEST(PreferLabel, WithoutAKeyItHasNoSay) {
  World world;
  fill(world, "{}");
  world.cycle();
  for (const auto& scorer : world.scheduler().session().hooks().node_scorers) {
    EXPECT_NE(scorer.plugin, "preferlabel");
  }
}

TEST(PreferLabel, ANodeThatChangesItsLabelIsJudgedAgain) {
  World world;
  fill(world, "{key: disk, value: ssd}");
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "empty");
  world.node("empty", {.cpu = 8});
  world.node("used", {.cpu = 8, .labels = {{"disk", "ssd"}}});
  world.cycle();
  EXPECT_EQ(world.node_of("g-0"), "used");
}

TEST(PreferLabel, RefusesArgumentsThatItDoesNotRead) {
  ConfigReading slip = prefer("{kee: disk}");
  ASSERT_EQ(slip.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(slip.diagnostics[0]),
            "c.yaml:1: $.plugins.preferlabel.arguments.kee: unknown key \"kee\"; "
            "did you mean \"key\"?");
  ConfigReading list = prefer("{key: [disk]}");
  ASSERT_EQ(list.diagnostics.size(), 1u);
  EXPECT_EQ(to_string(list.diagnostics[0]),
            "c.yaml:1: $.plugins.preferlabel.arguments.key: found a list, expected a word, "
            "a number, true or false");
}

}  // namespace
}  // namespace trellis
