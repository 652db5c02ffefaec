// The best of all nodes by score, kept while scores, and the counts of domains, change.
//
// Of nodes with equal scores, that node is better whose domains are left fullest (binpack) or
// emptiest (spread), from the lowest domain up; a domain that a node is not part of counts as full,
// because a pod there breaks none. Then the first in order of path and name. A domain that is a
// single node says nothing more than the score and does not count. Each domain keeps its best node
// in a tournament of its children, so that a domain whose count changes plays only around it.
// A node with score NodeRanking::kUnfit never wins.
// Cost: build O(nodes); update O(depth x log children); best O(1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/config.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "topology/domain_counts.h"
#include "topology/tree.h"

namespace trellis {

class ClusterRanking {
 public:
  // `scores` are in order of tree.node_order(). Tree and counts must outlive the ranking.
  ClusterRanking(const TopologyTree& tree, const DomainCounts& counts, Strategy strategy,
                 std::span<const double> scores);

  // The score of the node has changed, or the counts of the domains around it.
  void update(NodeId node, double score);
  NodeId best() const;  // kNone when no node fits

 private:
  static constexpr uint32_t kNone = UINT32_MAX;

  // The tournament of a domain: its children, then the nodes that hang on it. Heap-shaped, the
  // winner first; the entries follow from `entries` on.
  struct Tournament {
    uint32_t first = 0;    // index of entry 0 of the heap, which is not used
    uint32_t entries = 1;  // a power of two
    uint32_t children = 0;
  };

  bool is_ranked(DomainId domain) const { return tree_->level_of(domain) <= lowest_; }
  // The lowest ranked domain around a node.
  DomainId domain_of(uint32_t position) const;
  void lay_out();
  void play_all(DomainId domain);
  // Play again after an entry has changed.
  void play(DomainId domain, uint32_t entry, uint32_t entrant);
  uint32_t winner(DomainId domain) const { return heap_[tournaments_[domain].first + 1]; }
  uint32_t better(uint32_t a, uint32_t b) const;
  int compare_around(uint32_t a, uint32_t b) const;

  const TopologyTree* tree_;
  const DomainCounts* counts_;
  Strategy strategy_;
  int lowest_ = -1;  // the deepest level whose domains are more than single nodes
  std::vector<double> scores_;
  IndexedVector<DomainId, Tournament> tournaments_;
  std::vector<uint32_t> heap_;  // positions in node_order(), all tournaments
};

}  // namespace trellis
