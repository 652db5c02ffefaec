#include "topology/domain_rank.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>

namespace trellis {

int64_t own_count(const TopologyTree& tree, const DomainCounts& counts, DomainId domain) {
  int64_t own = counts[domain];
  for (int64_t child : counts.counts(tree.children(domain))) own -= child;
  return own;
}

namespace {

// Binpack: what leaves less is better; spread: what leaves more.
int compare_left(Strategy strategy, int64_t a, int64_t b) {
  if (a == b) return 0;
  return (a < b) == (strategy == Strategy::Binpack) ? -1 : 1;
}

// Fewest of the counts that add up to `pods`. REQUIRES: all together do. Changes the order.
int64_t fewest_of(std::span<int64_t> counts, int64_t pods) {
  std::make_heap(counts.begin(), counts.end());
  int64_t used = 0;
  for (; pods > 0 && !counts.empty(); ++used) {
    pods -= counts.front();
    std::pop_heap(counts.begin(), counts.end());
    counts = counts.first(counts.size() - 1);
  }
  return used;
}

// The fewest domains of the level inside `domain` that take the row; the nodes that hang on a
// domain above the level are one part more.
int64_t parts_needed(const TopologyTree& tree, const RowDemand& row, DomainId domain, int level) {
  std::span<const int64_t> span = row.counts->counts(tree.descendants(domain, level));
  boost::container::small_vector<int64_t, 64> counts(span.begin(), span.end());
  for (int above = level - 1; tree.ragged() && above >= tree.level_of(domain); --above) {
    IdRange range = tree.descendants(domain, above);
    for (uint32_t id = range.first; id < range.last; ++id) {
      counts.push_back(own_count(tree, *row.counts, DomainId(id)));
    }
  }
  return fewest_of({counts.data(), counts.size()}, row.pods);
}

}  // namespace

bool holds(const DomainQuery& query, DomainId domain) {
  return std::all_of(query.rows.begin(), query.rows.end(),
                     [&](const RowDemand& row) { return (*row.counts)[domain] >= row.pods; });
}

int64_t children_needed(const DomainQuery& query, DomainId domain) {
  const TopologyTree& tree = *query.tree;
  const RowDemand& row = query.rows.front();
  IdRange children = tree.children(domain);
  if (children.size() == 0) return 1;
  std::span<const int64_t> span = row.counts->counts(children);
  boost::container::small_vector<int64_t, 64> counts(span.begin(), span.end());
  counts.push_back(own_count(tree, *row.counts, domain));
  return fewest_of({counts.data(), counts.size()}, row.pods);
}

int64_t children_bound(const DomainQuery& query, int level) {
  const TopologyTree& tree = *query.tree;
  const RowDemand& row = query.rows.front();
  // Nodes on a domain itself count as a child that the bound of the level below does not include.
  if (level + 1 >= tree.level_count() || tree.ragged()) return 1;
  int64_t largest = std::max<int64_t>(1, row.counts->level_bound(tree, level + 1));
  return (row.pods + largest - 1) / largest;
}

DomainRank rank_of(const DomainQuery& query, DomainId domain) {
  const RowDemand& lead = query.rows.front();
  bool anchored = query.closeness != nullptr && !query.closeness->empty();
  DomainRank rank;
  if (query.tree->level_of(domain) < query.parts_level) {
    for (const RowDemand& row : query.rows) {
      rank.parts = std::max(rank.parts, parts_needed(*query.tree, row, domain, query.parts_level));
    }
  }
  rank.closeness = anchored ? query.closeness->of(*query.tree, domain) : 0;
  rank.left_over = (*lead.counts)[domain] - lead.pods;
  rank.domain = domain;
  return rank;
}

int compare(const DomainQuery& query, const DomainRank& a, const DomainRank& b) {
  if (a.parts != b.parts) return a.parts < b.parts ? -1 : 1;
  if (a.closeness != b.closeness) return a.closeness > b.closeness ? -1 : 1;
  if (a.left_over != b.left_over) return compare_left(query.strategy, a.left_over, b.left_over);
  const TopologyTree& tree = *query.tree;
  const DomainCounts& counts = *query.rows.front().counts;
  DomainId x = a.domain;
  DomainId y = b.domain;
  for (; x != y; x = tree.parent(x), y = tree.parent(y)) {
    if (int order = compare_left(query.strategy, counts[x], counts[y])) return order;
  }
  return 0;
}

Closeness::Closeness(const TopologyTree& tree, std::span<const DomainId> anchors) {
  for (DomainId anchor : anchors) {
    for (DomainId at = anchor; at != tree.root(); at = tree.parent(at))
      weights_.emplace_back(at, 1);
  }
  std::sort(weights_.begin(), weights_.end());
  size_t kept = 0;
  for (size_t i = 0; i < weights_.size(); ++i) {
    if (kept > 0 && weights_[kept - 1].first == weights_[i].first) {
      weights_[kept - 1].second += weights_[i].second;
    } else {
      weights_[kept++] = weights_[i];
    }
  }
  weights_.resize(kept);
}

int64_t Closeness::of(const TopologyTree& tree, DomainId domain) const {
  int64_t shared = 0;
  for (DomainId at = domain; at != tree.root(); at = tree.parent(at)) {
    auto found = std::lower_bound(weights_.begin(), weights_.end(), std::pair(at, int64_t{0}));
    if (found != weights_.end() && found->first == at) shared += found->second;
  }
  return shared;
}

}  // namespace trellis
