// Functions over a row of usages of the quota tree (Kueue's resource_node.go, fair_sharing.go).
//
// `usage` is a row of node_count() x cell_count() amounts, see QuotaTree::index(). Amounts that a
// caller adds are on top of it. Usages and amounts are within +-kMaxSum and saturate there
// (framework/resources.h). Cost: O(depth), but for shares: O(cells).
#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <limits>
#include <span>

#include "framework/ids.h"
#include "framework/quota_holding.h"
#include "framework/quota_tree.h"

namespace trellis {

using QuotaUsage = std::span<const int64_t>;

// The part of a node's usage that counts in its parent.
inline int64_t used_above(int64_t usage, int64_t local_quota) {
  return std::max<int64_t>(0, usage - local_quota);
}

// Adds an amount, which may be negative, to the usage of a node and of its ancestors. `set(cell,
// value)` writes one cell of `usage`.
template <class Set>
void add_usage(const QuotaTree& tree, std::span<int64_t> usage, QuotaNodeId node, QuotaCellId cell,
               int64_t amount, Set&& set) {
  while (node.valid() && amount != 0) {
    int64_t& cell_usage = usage[tree.index(node, cell)];
    int64_t before = cell_usage;
    int64_t after = add_to_sum(before, amount);
    set(cell_usage, after);
    int64_t local = tree.local_quota(node, cell);
    amount = used_above(after, local) - used_above(before, local);
    node = tree.parent(node);
  }
}

// The part of an amount added to a node that counts in its parent.
inline int64_t rises(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node, QuotaAmount added) {
  int64_t before = usage[tree.index(node, added.cell)];
  int64_t local = tree.local_quota(node, added.cell);
  return used_above(before + added.amount, local) - used_above(before, local);
}

// The amount that a node may take in addition. Negative for a Cohort that has given too much.
int64_t available(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node, QuotaCellId cell);

// Whether the node uses more than its subtree quota once the amount is added.
inline bool borrows_with(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                         QuotaAmount added) {
  return usage[tree.index(node, added.cell)] + added.amount > tree.subtree_quota(node, added.cell);
}

// The lowest subtree around a ClusterQueue whose quota covers an additional amount.
struct CoveringSubtree {
  int height = 0;  // of the subtree; of the root where none covers the amount; 0: no borrowing
  bool below_root = false;  // Kueue: queues outside of it may have to give back
  bool operator==(const CoveringSubtree&) const = default;
};
CoveringSubtree covering_subtree(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                                 QuotaAmount added);

// How much a node borrows of what its parent could lend, by the node's weight.
struct QuotaShare {
  double ratio = 0;  // in thousandths, of the resource with the highest ratio
  double weight = 1;
  bool borrowing = false;
  // Infinite: the node borrows and has weight 0.
  double weighted() const {
    if (weight == 0 && borrowing) return std::numeric_limits<double>::infinity();
    return ratio == 0 || weight == 1 ? ratio : ratio / weight;  // divisions are slow
  }
  bool operator==(const QuotaShare&) const = default;
};
// Less: a goes first, and loses last.
inline std::weak_ordering compare(const QuotaShare& a, const QuotaShare& b) {
  bool no_weight = a.weight == 0 && a.borrowing && b.weight == 0 && b.borrowing;
  double of_a = no_weight ? a.ratio : a.weighted();
  double of_b = no_weight ? b.ratio : b.weighted();
  if (of_a == of_b) return std::weak_ordering::equivalent;
  return of_a < of_b ? std::weak_ordering::less : std::weak_ordering::greater;
}
// `added` is on top of the node's own usage. No cell twice.
QuotaShare quota_share(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                       std::span<const QuotaAmount> added = {});

}  // namespace trellis
