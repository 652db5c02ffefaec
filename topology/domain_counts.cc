#include "topology/domain_counts.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace trellis {

DomainCounts::DomainCounts(const TopologyTree& tree, const IndexedVector<NodeId, int32_t>& fit)
    : counts_(tree.domain_count(), 0) {
  for (NodeId node : tree.node_order()) counts_[tree.domain_of(node)] += fit[node];
  for (uint32_t id = 0; id + 1 < counts_.size(); ++id) {
    counts_[tree.parent(DomainId(id))] += counts_[DomainId(id)];
  }
  level_bound_.assign(static_cast<size_t>(tree.level_count() + 1), 0);
  for (int level = -1; level < tree.level_count(); ++level) {
    int64_t largest = 0;
    for (int64_t count : counts(tree.level(level))) largest = std::max(largest, count);
    tighten(level, largest);
  }
}

void DomainCounts::change(const TopologyTree& tree, NodeId node, int32_t delta) {
  if (!tree.contains(node)) return;
  for (DomainId at = tree.domain_of(node); at.valid(); at = tree.parent(at)) {
    counts_[at] += delta;
    int64_t& bound = level_bound_[static_cast<size_t>(tree.level_of(at) + 1)];
    bound = std::max(bound, counts_[at]);
  }
}

void DomainCounts::check_invariants(const TopologyTree& tree,
                                    const IndexedVector<NodeId, int32_t>& fit) const {
  DomainCounts fresh(tree, fit);
  bool equal = fresh.counts_ == counts_;
  for (int level = -1; level < tree.level_count(); ++level) {
    equal = equal && fresh.level_bound(level) <= level_bound(level);
  }
  if (equal) return;
  std::fprintf(stderr, "domain counts: broken invariant: a count is not the sum over its nodes\n");
  std::abort();
}

}  // namespace trellis
