#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "framework/string_table.h"
#include "session/fits/node_ranking.h"
#include "tests/support/random.h"

namespace trellis::linked_ranking_test {
namespace {

TEST(LinkedRanking, IsWhatACopyOfTheScoresSays) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Random random(seed);
    StringTable strings;
    StrId rack = strings.intern("rack"), zone = strings.intern("zone");
    IndexedVector<NodeId, Node> records;
    std::vector<NodeId> nodes;
    std::vector<std::pair<uint32_t, uint32_t>> places;
    uint32_t count = random.below(12) + 1;
    for (uint32_t i = 0; i < count; ++i) {
      Node node;
      node.name = "n" + std::to_string(i);
      places.emplace_back(random.below(3), random.below(2));
      node.labels = {{rack, strings.intern("r" + std::to_string(places[i].first))},
                     {zone, strings.intern("z" + std::to_string(places[i].second))}};
      nodes.push_back(records.push_back(node));
    }
    NodeValues values(records);
    std::vector<double> scores(count);
    std::vector<int32_t> fits(count);
    auto draw = [&](uint32_t i) {
      fits[i] = random.below(3);
      scores[i] = fits[i] > 0 ? random.below(4) : NodeRanking::kUnfit;
    };
    for (uint32_t i = 0; i < count; ++i) draw(i);
    std::vector<StrId> keys = {rack, zone};
    LinkedRanking ranking;
    ranking.build(values, keys, nodes, scores, fits);
    std::vector<double> bonus(ranking.groups(), 0.0);
    for (int step = 0; step < 40; ++step) {
      uint32_t best = LinkedRanking::kNone;
      auto value = [&](uint32_t i) { return scores[i] + bonus[ranking.group_of(i)]; };
      std::map<std::pair<uint32_t, uint32_t>, int64_t> room;
      for (uint32_t i = 0; i < count; ++i) {
        room[places[i]] += fits[i];
        if (value(i) == NodeRanking::kUnfit) continue;
        if (best == LinkedRanking::kNone || value(i) > value(best)) best = i;
      }
      ASSERT_EQ(ranking.groups(), room.size());
      uint32_t group = ranking.best_group();
      ASSERT_EQ(group == LinkedRanking::kNone, best == LinkedRanking::kNone);
      if (group != LinkedRanking::kNone) {
        ASSERT_EQ(ranking.best_in(group), best);
        ASSERT_EQ(ranking.best_score(group), scores[best]);
      }
      for (uint32_t i = 0; i < count; ++i) {
        ASSERT_EQ(ranking.fit(ranking.group_of(i)), room[places[i]]);
      }
      uint32_t position = random.below(count);
      if (random.chance(60)) {
        draw(position);
        ranking.update(position, scores[position], fits[position]);
      } else {
        uint32_t changed = ranking.group_of(position);
        bonus[changed] = random.chance(40) ? NodeRanking::kUnfit : random.below(3);
        if (random.chance(50)) {
          ranking.set_bonus(changed, bonus[changed]);
        } else {
          ranking.set_bonuses(bonus);
        }
      }
    }
  }
}

}  // namespace
}  // namespace trellis::linked_ranking_test
