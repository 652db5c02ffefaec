#include "session/fits/cluster_ranking.h"

#include <algorithm>
#include <bit>

#include "session/fits/node_ranking.h"

namespace trellis {

ClusterRanking::ClusterRanking(const TopologyTree& tree, const DomainCounts& counts,
                               Strategy strategy, std::span<const double> scores)
    : tree_(&tree),
      counts_(&counts),
      strategy_(strategy),
      lowest_(tree.level_count() - (tree.deepest_is_node() ? 2 : 1)),
      scores_(scores.begin(), scores.end()) {
  lay_out();
  // Children come before their parents.
  for (uint32_t id = 0; id < tree.domain_count(); ++id) {
    if (is_ranked(DomainId(id))) play_all(DomainId(id));
  }
}

void ClusterRanking::lay_out() {
  tournaments_.resize(tree_->domain_count());
  size_t size = 0;
  for (uint32_t id = 0; id < tree_->domain_count(); ++id) {
    DomainId domain(id);
    if (!is_ranked(domain)) continue;
    Tournament& made = tournaments_[domain];
    bool lowest = tree_->level_of(domain) == lowest_;
    made.first = static_cast<uint32_t>(size);
    made.children = lowest ? 0 : tree_->children(domain).size();
    uint32_t nodes = lowest ? tree_->node_range(domain).size()
                            : static_cast<uint32_t>(tree_->own_nodes(domain).size());
    made.entries = std::bit_ceil(std::max<uint32_t>(2, made.children + nodes));
    size += size_t{2} * made.entries;
  }
  heap_.assign(size, kNone);
}

void ClusterRanking::play_all(DomainId domain) {
  const Tournament& made = tournaments_[domain];
  uint32_t* heap = heap_.data() + made.first;
  uint32_t entry = made.entries;
  uint32_t child = tree_->children(domain).first;
  for (uint32_t i = 0; i < made.children; ++i) heap[entry++] = winner(DomainId(child + i));
  IdRange range = tree_->node_range(domain);
  bool lowest = tree_->level_of(domain) == lowest_;
  uint32_t position =
      lowest ? range.first : range.last - static_cast<uint32_t>(tree_->own_nodes(domain).size());
  for (; position < range.last; ++position) heap[entry++] = position;
  for (uint32_t at = made.entries; at-- > 1;) heap[at] = better(heap[2 * at], heap[2 * at + 1]);
}

void ClusterRanking::play(DomainId domain, uint32_t entry, uint32_t entrant) {
  const Tournament& made = tournaments_[domain];
  uint32_t* heap = heap_.data() + made.first;
  heap[made.entries + entry] = entrant;
  for (uint32_t at = (made.entries + entry) / 2; at >= 1; at /= 2) {
    uint32_t won = better(heap[2 * at], heap[2 * at + 1]);
    // Above a match that another entry had won and wins again, nothing changes.
    if (heap[at] == won && won != entrant) return;
    heap[at] = won;
  }
}

void ClusterRanking::update(NodeId node, double score) {
  uint32_t position = tree_->position(node);
  scores_[position] = score;
  DomainId domain = domain_of(position);
  IdRange range = tree_->node_range(domain);
  uint32_t entry = position - range.first;
  if (tree_->level_of(domain) < lowest_) {
    uint32_t own = static_cast<uint32_t>(tree_->own_nodes(domain).size());
    entry = tournaments_[domain].children + position - (range.last - own);
  }
  play(domain, entry, position);
  while (domain != tree_->root()) {
    DomainId above = tree_->parent(domain);
    play(above, domain.value - tree_->children(above).first, winner(domain));
    domain = above;
  }
}

NodeId ClusterRanking::best() const {
  uint32_t position = winner(tree_->root());
  if (position == kNone || scores_[position] == NodeRanking::kUnfit) return NodeId();
  return tree_->node_order()[position];
}

DomainId ClusterRanking::domain_of(uint32_t position) const {
  DomainId domain = tree_->domain_of(tree_->node_order()[position]);
  return is_ranked(domain) ? domain : tree_->parent(domain);
}

uint32_t ClusterRanking::better(uint32_t a, uint32_t b) const {
  if (a == kNone || b == kNone) return std::min(a, b);
  if (scores_[a] != scores_[b]) return scores_[a] > scores_[b] ? a : b;
  if (int order = compare_around(a, b)) return order < 0 ? a : b;
  return std::min(a, b);
}

// Below 0: `a` is better.
int ClusterRanking::compare_around(uint32_t a, uint32_t b) const {
  DomainId x = domain_of(a);
  DomainId y = domain_of(b);
  while (x != y) {
    int of_x = tree_->level_of(x);
    int of_y = tree_->level_of(y);
    int64_t left_x = of_x >= of_y ? (*counts_)[x] : 0;
    int64_t left_y = of_y >= of_x ? (*counts_)[y] : 0;
    if (left_x != left_y) return (left_x < left_y) == (strategy_ == Strategy::Binpack) ? -1 : 1;
    if (of_x >= of_y) x = tree_->parent(x);
    if (of_y >= of_x) y = tree_->parent(y);
  }
  return 0;
}

}  // namespace trellis
