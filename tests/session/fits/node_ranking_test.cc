#include "session/fits/node_ranking.h"

#include <gtest/gtest.h>

#include <vector>

#include "tests/support/random.h"

namespace trellis::node_ranking_test {
namespace {

uint32_t plain_best(const std::vector<double>& scores) {
  uint32_t best = NodeRanking::kNone;
  for (uint32_t i = 0; i < scores.size(); ++i) {
    if (scores[i] == NodeRanking::kUnfit) continue;
    if (best == NodeRanking::kNone || scores[i] > scores[best]) best = i;
  }
  return best;
}

TEST(NodeRanking, AgreesWithALook) {
  Random random(9);
  for (int round = 0; round < 300; ++round) {
    std::vector<double> scores(random.below(40));
    auto draw = [&] {
      return random.chance(25) ? NodeRanking::kUnfit : static_cast<double>(random.below(6)) - 2;
    };
    for (double& score : scores) score = draw();
    NodeRanking ranking;
    ranking.build(scores);
    ASSERT_EQ(ranking.best(), plain_best(scores)) << "round " << round;
    for (int step = 0; !scores.empty() && step < 60; ++step) {
      uint32_t position = random.below(static_cast<uint32_t>(scores.size()));
      if (random.chance(40) && ranking.best() != NodeRanking::kNone) position = ranking.best();
      scores[position] = draw();
      ranking.update(position, scores[position]);
      ASSERT_EQ(ranking.score(position), scores[position]);
      ASSERT_EQ(ranking.best(), plain_best(scores)) << "round " << round << " step " << step;
    }
  }
}

TEST(NodeRanking, Nothing) {
  EXPECT_EQ(NodeRanking().best(), NodeRanking::kNone);
  NodeRanking ranking;
  ranking.build({});
  EXPECT_EQ(ranking.best(), NodeRanking::kNone);
}

}  // namespace
}  // namespace trellis::node_ranking_test
