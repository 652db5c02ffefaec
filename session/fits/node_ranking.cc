#include "session/fits/node_ranking.h"

#include <algorithm>
#include <bit>

namespace trellis {

void NodeRanking::build(std::span<const double> scores) {
  size_t leaves = std::bit_ceil(scores.size() < 2 ? size_t{2} : scores.size());
  scores_.assign(leaves, kUnfit);
  std::copy(scores.begin(), scores.end(), scores_.begin());
  winners_.resize(leaves);
  for (size_t at = leaves / 2; at < leaves; ++at) {
    uint32_t left = static_cast<uint32_t>(2 * at - leaves);
    winners_[at] = better(left, left + 1);
  }
  for (size_t at = leaves / 2; at-- > 1;)
    winners_[at] = better(winners_[2 * at], winners_[2 * at + 1]);
}

void NodeRanking::update(uint32_t position, double score) {
  scores_[position] = score;
  size_t leaves = scores_.size();
  size_t at = (leaves + position) / 2;
  uint32_t left = position & ~1U;
  uint32_t winner = better(left, left + 1);
  while (true) {
    // Above a match that another position had won and wins again, nothing changes.
    if (winners_[at] == winner && winner != position) return;
    winners_[at] = winner;
    if (at == 1) return;
    at /= 2;
    winner = better(winners_[2 * at], winners_[2 * at + 1]);
  }
}

uint32_t NodeRanking::best() const {
  if (winners_.size() < 2) return kNone;
  uint32_t winner = winners_[1];
  return scores_[winner] == kUnfit ? kNone : winner;
}

}  // namespace trellis
