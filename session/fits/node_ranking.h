// The best of some nodes by score, kept while single scores change: a tournament over positions.
//
// A tie goes to the lower position. A node with score kUnfit never wins.
// Cost: build O(n); update O(log n), less where the winner stays; best O(1).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/node_values.h"

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

// Nodes in groups that terms between pods judge alike, ranked: the best node of each group and the
// best group.
//
// Words: a position is a node's index in the span that build() was given; a group holds the nodes
// that have the same values of all keys. A bonus is added to the scores of a whole group; the bonus
// NodeRanking::kUnfit sets the group aside.
// Guarantees: ties go to the lower position.
// Cost: build O(nodes x keys); update and bonus O(log nodes); all bonuses at once O(groups).
class LinkedRanking {
 public:
  static constexpr uint32_t kNone = NodeRanking::kNone;

  // `scores` are kUnfit for nodes that can take no pod; `fits` is how many pods they can take.
  void build(const NodeValues& values, std::span<const StrId> keys, std::span<const NodeId> nodes,
             std::span<const double> scores, std::span<const int32_t> fits);
  void update(uint32_t position, double score, int32_t fit);

  uint32_t groups() const { return static_cast<uint32_t>(groups_.size()); }
  uint32_t group_of(uint32_t position) const { return group_of_[position]; }
  std::span<const uint32_t> members(uint32_t group) const;
  int64_t fit(uint32_t group) const { return groups_[group].fit; }
  uint32_t best_in(uint32_t group) const;   // position; kNone when no node fits
  double best_score(uint32_t group) const;  // without the bonus

  uint32_t best_group() const;  // kNone when all are unfit or set aside
  void set_bonus(uint32_t group, double bonus);
  void set_bonuses(std::span<const double> bonuses);

  // Whether both rank the same groups alike.
  bool same_order(const LinkedRanking& other) const;

 private:
  struct Group {
    uint32_t first = 0;
    uint32_t size = 0;
    int64_t fit = 0;
    std::unique_ptr<NodeRanking> ranking;  // null: a single node
  };

  void form_groups(const NodeValues& values, std::span<const StrId> keys,
                   std::span<const NodeId> nodes);
  void rank_groups();
  void refresh(uint32_t group);
  uint32_t better(uint32_t a, uint32_t b) const;

  std::vector<uint32_t> group_of_;  // by position
  std::vector<uint32_t> member_;    // by position: index into members_
  std::vector<uint32_t> members_;   // positions, group after group
  std::vector<double> scores_;      // by index into members_
  std::vector<int32_t> fits_;       // by index into members_
  std::vector<Group> groups_;
  std::vector<double> bonus_;      // by group
  std::vector<double> value_;      // by group, padded: best score and bonus
  std::vector<uint32_t> best_;     // by group, padded: position of the best node
  std::vector<uint32_t> winners_;  // heap-shaped: winners_[1] is the best group
};

}  // namespace trellis
