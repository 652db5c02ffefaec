// Chooses the workload that goes first when ClusterQueues share by weight (Kueue's
// fair_sharing_iterator.go).
//
// Below each Cohort the sibling queues and Cohorts put up one workload each. The workload wins
// whose side does not borrow what it requests; then the one with the smaller share after its
// admission; then the one that goes before by `order`. Root Cohorts, and queues without a Cohort,
// compare by `order` alone.
// Cost: O(nodes x cells).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/quota_arithmetic.h"
#include "framework/quota_rules.h"
#include "framework/quota_tree.h"

namespace trellis {

class Tournament {
 public:
  // `order(a, b)`: negative: workload a goes before b. REQUIRES: turns are not empty.
  template <class Order>
  size_t winner(const QuotaTree& tree, QuotaUsage usage, std::span<const WorkloadTurn> turns,
                const Order& order) {
    enter(tree, turns, order);
    Entrant top;
    for (size_t i = tree.node_count(); i-- > 0;) {
      QuotaNodeId node(i);
      if (entrants_[node].turn == kNoEntrant) continue;
      Entrant rising = rise(tree, usage, node, turns);
      Entrant& best = tree.parent(node).valid() ? entrants_[tree.parent(node)] : top;
      if (best.turn == kNoEntrant || beats(rising, best, turns, order)) best = rising;
    }
    return top.turn;
  }

 private:
  static constexpr size_t kNoEntrant = SIZE_MAX;
  // The best workload below a node, and the share and borrowing of the child that put it up.
  struct Entrant {
    size_t turn = kNoEntrant;
    int64_t borrows = 0;  // 1: the child does. As wide as the rest: copies wait for narrow stores
    double share = 0;
    double unweighted = 0;  // between infinite shares
  };

  template <class Order>
  void enter(const QuotaTree& tree, std::span<const WorkloadTurn> turns, const Order& order) {
    entrants_.assign(tree.node_count(), {});
    amounts_.clear();
    first_amount_.clear();
    for (size_t i = 0; i < turns.size(); ++i) {
      first_amount_.push_back(amounts_.size());
      amounts_.insert(amounts_.end(), turns[i].amounts.begin(), turns[i].amounts.end());
      size_t& best = entrants_[tree.node(turns[i].queue)].turn;
      if (best == kNoEntrant || order(turns[i].workload, turns[best].workload) < 0) best = i;
    }
  }

  template <class Order>
  static bool beats(const Entrant& a, const Entrant& b, std::span<const WorkloadTurn> turns,
                    const Order& order) {
    if (a.borrows != b.borrows) return a.borrows < b.borrows;
    if (a.share != b.share) return a.share < b.share;
    if (a.unweighted != b.unweighted) return a.unweighted < b.unweighted;
    return order(turns[a.turn].workload, turns[b.turn].workload) < 0;
  }

  // The node's entrant as its siblings compare it; takes its amounts one step up.
  Entrant rise(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
               std::span<const WorkloadTurn> turns);

  IndexedVector<QuotaNodeId, Entrant> entrants_;
  std::vector<QuotaAmount> amounts_;  // of all turns, as they arrive at the current node
  std::vector<size_t> first_amount_;  // by turn
};

}  // namespace trellis
