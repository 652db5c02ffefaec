#include "topology/domain_counts.h"

#include <algorithm>

#include "framework/check.h"
#include "topology/count_kernels.h"

namespace trellis {
namespace {

void copy_by_order(std::span<const NodeId> order, std::span<const int32_t> fit,
                   std::span<int64_t> counts) {
  for (size_t i = 0; i < order.size(); ++i) counts[i] = fit[order[i].value];
}

}  // namespace

DomainCounts::DomainCounts(const TopologyTree& tree, const IndexedVector<NodeId, int32_t>& fit)
    : counts_(tree.domain_count(), 0) {
  // Deepest domains have no children.
  uint32_t first = tree.level_count() > 0 ? tree.level(tree.level_count() - 1).last : 0;
  std::span<const NodeId> order = tree.node_order();
  if (tree.deepest_is_node() && !tree.ragged()) {
    // Each deepest domain is one node, in the same order.
    copy_by_order(order.first(first), fit.span(), counts_.span());
  } else {
    for (NodeId node : order) counts_[tree.domain_of(node)] += fit[node];
  }
  for (uint32_t id = first; id < counts_.size(); ++id) {
    counts_[DomainId(id)] += total(counts(tree.children(DomainId(id))));
  }
  level_bound_.assign(static_cast<size_t>(tree.level_count() + 1), kUnknown);
  tallies_.resize(level_bound_.size());
}

DomainCounts::DomainCounts(const TopologyTree& tree, const DomainCounts& pods,
                           std::span<const SegmentLevel> layers)
    : counts_(pods.counts_) {
  level_bound_.assign(static_cast<size_t>(tree.level_count() + 1), kUnknown);
  tallies_.resize(level_bound_.size());
  size_t layer = layers.size();
  if (layer == 0) return;
  for (int level = layers.back().level; level >= -1; --level) {
    bool at_layer = layer > 0 && layers[layer - 1].level == level;
    int64_t size = at_layer ? layers[layer - 1].size : 1;
    bool finest = level == layers.back().level;
    IdRange range = tree.level(level);
    for (uint32_t id = range.first; id < range.last; ++id) {
      int64_t& count = counts_[DomainId(id)];
      if (!finest) count = total(counts(tree.children(DomainId(id))));
      if (size > 1) count -= count % size;
    }
    if (at_layer) --layer;
  }
}

void DomainCounts::change(const TopologyTree& tree, NodeId node, int32_t delta) {
  if (!tree.contains(node)) return;
  for (DomainId at = tree.domain_of(node); at.valid(); at = tree.parent(at)) {
    int64_t before = counts_[at];
    int64_t after = counts_[at] += delta;
    size_t level = static_cast<size_t>(tree.level_of(at) + 1);
    int64_t& bound = level_bound_[level];
    if (bound != kUnknown) bound = std::max(bound, after);
    if (Tally& tally = tallies_[level]; !tally.empty()) {
      if (before < kTallied) --tally[static_cast<size_t>(before)];
      if (after < kTallied) ++tally[static_cast<size_t>(after)];
    }
  }
}

int64_t DomainCounts::least_at_least(const TopologyTree& tree, int level, int64_t needed) const {
  std::span<const int64_t> all = counts(tree.level(level));
  if (all.size() <= kFewDomains) return trellis::least_at_least(all, needed);
  Tally& tally = tallies_[static_cast<size_t>(level + 1)];
  if (tally.empty()) {
    tally.assign(kTallied, 0);
    for (int64_t count : all) {
      if (count < kTallied) ++tally[static_cast<size_t>(count)];
    }
  }
  for (int64_t count = std::max<int64_t>(needed, 0); count < kTallied; ++count) {
    if (tally[static_cast<size_t>(count)] > 0) return count;
  }
  return trellis::least_at_least(all, needed);
}

int64_t DomainCounts::level_bound(const TopologyTree& tree, int level) const {
  int64_t& bound = level_bound_[static_cast<size_t>(level + 1)];
  if (bound == kUnknown) bound = largest(counts(tree.level(level)));
  return bound;
}

void DomainCounts::check_invariants(const TopologyTree& tree,
                                    const IndexedVector<NodeId, int32_t>& fit) const {
  DomainCounts fresh(tree, fit);
  bool equal = fresh.counts_ == counts_;
  for (int level = -1; level < tree.level_count(); ++level) {
    equal = equal && fresh.level_bound(tree, level) <= level_bound(tree, level);
    const Tally& tally = tallies_[static_cast<size_t>(level + 1)];
    if (tally.empty()) continue;
    fresh.least_at_least(tree, level, 0);
    equal = equal && fresh.tallies_[static_cast<size_t>(level + 1)] == tally;
  }
  require(equal, "a domain counts what its nodes do");
}

}  // namespace trellis
