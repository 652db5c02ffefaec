// The best of some nodes by score, kept while single scores change: a tournament over positions.
//
// A tie goes to the lower position. A node with score kUnfit never wins.
// Cost: build O(n); update O(log n), less where the winner stays; best O(1).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <span>

namespace trellis {

class NodeRanking {
 public:
  static constexpr double kUnfit = -std::numeric_limits<double>::infinity();
  static constexpr uint32_t kNone = UINT32_MAX;

  void build(std::span<const double> scores);
  void update(uint32_t position, double score);
  // Position of the best, kNone when no node fits.
  uint32_t best() const;
  double score(uint32_t position) const { return scores_[position]; }

 private:
  uint32_t better(uint32_t a, uint32_t b) const {
    return scores_[b] > scores_[a] || (scores_[b] == scores_[a] && b < a) ? b : a;
  }

  // The nodes of a rack fit without allocated memory.
  boost::container::small_vector<double, 32> scores_;     // padded with kUnfit to a power of two
  boost::container::small_vector<uint32_t, 32> winners_;  // a heap-shaped tree: [1] is the best
};

}  // namespace trellis
