#include "topology/domain_counts.h"

#include <algorithm>
#include <utility>

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
    set(tree, at, counts_[at] + delta);
  }
}

void DomainCounts::follow(const TopologyTree& tree, const DomainCounts& pods,
                          std::span<const SegmentLevel> layers, NodeId node) {
  if (!tree.contains(node)) return;
  size_t layer = layers.size();
  int finest = layers.back().level;
  int64_t delta = 0;  // of the domain below, where it counts in whole segments
  for (DomainId at = tree.domain_of(node); at.valid(); at = tree.parent(at)) {
    int level = tree.level_of(at);
    // Above a layer that the node has no domain of, its own count is in no segment.
    while (layer > 0 && layers[layer - 1].level > level) --layer;
    bool at_layer = layer > 0 && layers[layer - 1].level == level;
    int64_t count = counts_[at] + delta;
    if (level >= finest) count = pods[at];
    if (at_layer && level < finest) count = total(counts(tree.children(at)));
    if (at_layer) count -= count % layers[layer - 1].size;
    delta = level > finest ? 0 : count - counts_[at];
    set(tree, at, count);
  }
}

void DomainCounts::set(const TopologyTree& tree, DomainId domain, int64_t count) {
  int64_t before = std::exchange(counts_[domain], count);
  size_t level = static_cast<size_t>(tree.level_of(domain) + 1);
  int64_t& bound = level_bound_[level];
  if (bound != kUnknown) bound = std::max(bound, count);
  Tally& tally = tallies_[level];
  if (tally.empty()) return;
  if (before < kTallied) --tally[static_cast<size_t>(before)].domains;
  if (count >= kTallied) return;
  Having& having = tally[static_cast<size_t>(count)];
  ++having.domains;
  having.first = std::min(having.first, domain.value);
}

DomainCounts::Tally& DomainCounts::tally(const TopologyTree& tree, int level) const {
  Tally& tally = tallies_[static_cast<size_t>(level + 1)];
  if (!tally.empty()) return tally;
  tally.assign(kTallied, Having());
  IdRange range = tree.level(level);
  for (uint32_t id = range.last; id-- > range.first;) {
    int64_t count = counts_[DomainId(id)];
    if (count >= kTallied) continue;
    Having& having = tally[static_cast<size_t>(count)];
    ++having.domains;
    having.first = id;
  }
  return tally;
}

int64_t DomainCounts::least_at_least(const TopologyTree& tree, int level, int64_t needed) const {
  std::span<const int64_t> all = counts(tree.level(level));
  if (all.size() <= kFewDomains) return trellis::least_at_least(all, needed);
  const Tally& known = tally(tree, level);
  for (int64_t count = std::max<int64_t>(needed, 0); count < kTallied; ++count) {
    if (known[static_cast<size_t>(count)].domains > 0) return count;
  }
  return trellis::least_at_least(all, needed);
}

DomainId DomainCounts::first_equal(const TopologyTree& tree, int level, int64_t count) const {
  IdRange range = tree.level(level);
  Having* having = nullptr;
  if (range.size() > kFewDomains && count >= 0 && count < kTallied) {
    having = &tally(tree, level)[static_cast<size_t>(count)];
    if (having->domains == 0) return DomainId();
    range.first = having->first;
  }
  range.first += static_cast<uint32_t>(trellis::first_equal(counts(range), count));
  if (range.first == range.last) return DomainId();
  if (having != nullptr) having->first = range.first;
  return DomainId(range.first);
}

int64_t DomainCounts::level_bound(const TopologyTree& tree, int level) const {
  int64_t& bound = level_bound_[static_cast<size_t>(level + 1)];
  if (bound == kUnknown) bound = largest(counts(tree.level(level)));
  return bound;
}

void DomainCounts::check_invariants(const TopologyTree& tree,
                                    const IndexedVector<NodeId, int32_t>& fit) const {
  require_equal(tree, DomainCounts(tree, fit));
}

void DomainCounts::check_invariants(const TopologyTree& tree, const DomainCounts& pods,
                                    std::span<const SegmentLevel> layers) const {
  require_equal(tree, DomainCounts(tree, pods, layers));
}

void DomainCounts::require_equal(const TopologyTree& tree, const DomainCounts& fresh) const {
  bool equal = fresh.counts_ == counts_;
  for (int level = -1; level < tree.level_count(); ++level) {
    equal = equal && fresh.level_bound(tree, level) <= level_bound(tree, level);
    const Tally& known = tallies_[static_cast<size_t>(level + 1)];
    if (known.empty()) continue;
    equal = equal && std::ranges::equal(known, fresh.tally(tree, level),
                                        [](const Having& kept, const Having& now) {
                                          return kept.domains == now.domains &&
                                                 (now.domains == 0 || kept.first <= now.first);
                                        });
  }
  require(equal, "a domain counts what its nodes do");
}

}  // namespace trellis
