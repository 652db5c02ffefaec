#include "plugins/rank/rank.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "plugins/registry.h"

namespace trellis::rank_test {
namespace {

TEST(RankPlugin, WritesTheRankAsALabel) {
  RankPlugin plugin;
  Hooks hooks;
  plugin.open(View(), hooks);
  ASSERT_EQ(hooks.before_binds.size(), 1U);
  EXPECT_EQ(hooks.before_binds[0].plugin, "rank");
  std::vector<BindNote> notes;
  hooks.before_binds[0].point->before_bind(PodId(3), NodeId(1), 17, notes);
  EXPECT_EQ(notes,
            (std::vector<BindNote>{{BindNote::Kind::Label, "trellis.scheduler/rank", "17"}}));
  notes.clear();
  hooks.before_binds[0].point->before_bind(PodId(3), NodeId(1), -1, notes);
  EXPECT_TRUE(notes.empty());
}

TEST(RankPlugin, IsOnUnlessItIsTurnedOff) {
  auto is_on = [](const Config& config) {
    auto plugins = make_plugins(config);
    return std::any_of(plugins.begin(), plugins.end(),
                       [](const auto& plugin) { return plugin->name() == "rank"; });
  };
  Config config;
  EXPECT_TRUE(is_on(config));
  config.plugins["rank"].enabled = false;
  EXPECT_FALSE(is_on(config));
}

}  // namespace
}  // namespace trellis::rank_test
