#include "topology/domain_search.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "topology/count_kernels.h"

namespace trellis {
namespace {

bool holds(const DomainQuery& query, DomainId domain) {
  return std::all_of(query.rows.begin(), query.rows.end(),
                     [&](const RowDemand& row) { return (*row.counts)[domain] >= row.pods; });
}

int64_t own_count(const TopologyTree& tree, const DomainCounts& counts, DomainId domain) {
  int64_t own = counts[domain];
  for (int64_t child : counts.counts(tree.children(domain))) own -= child;
  return own;
}

// Fewest children that can take `pods`; the nodes on the domain itself count as one more child.
int64_t children_needed(const TopologyTree& tree, const RowDemand& row, DomainId domain) {
  IdRange children = tree.children(domain);
  if (children.size() == 0) return 1;
  std::span<const int64_t> span = row.counts->counts(children);
  boost::container::small_vector<int64_t, 64> counts(span.begin(), span.end());
  counts.push_back(own_count(tree, *row.counts, domain));
  std::sort(counts.begin(), counts.end(), std::greater<>());
  int64_t used = 0;
  for (int64_t left = row.pods; left > 0 && used < static_cast<int64_t>(counts.size()); ++used) {
    left -= counts[static_cast<size_t>(used)];
  }
  return used;
}

// A lower bound on the children that any domain of the level needs.
int64_t children_bound(const TopologyTree& tree, const RowDemand& row, int level) {
  // Nodes on a domain itself count as a child that the bound of the level below does not include.
  if (level + 1 >= tree.level_count() || tree.ragged()) return 1;
  int64_t largest = std::max<int64_t>(1, row.counts->level_bound(tree, level + 1));
  return (row.pods + largest - 1) / largest;
}

bool ranks_before(const DomainRank& a, const DomainRank& b, Strategy strategy) {
  if (a.closeness != b.closeness) return a.closeness > b.closeness;
  if (a.left_over != b.left_over) {
    return strategy == Strategy::Binpack ? a.left_over < b.left_over : a.left_over > b.left_over;
  }
  if (a.children != b.children) return a.children < b.children;
  return a.domain < b.domain;
}

// The candidates' common first keys: everything but children and path.
struct Keys {
  int64_t closeness = 0;
  int64_t left_over = 0;
  auto operator<=>(const Keys&) const = default;
};

DomainRank rank_without_children(const DomainQuery& query, DomainId domain) {
  const RowDemand& lead = query.rows.front();
  bool anchored = query.closeness != nullptr && !query.closeness->empty();
  DomainRank rank;
  rank.closeness = anchored ? query.closeness->of(*query.tree, domain) : 0;
  rank.left_over = (*lead.counts)[domain] - lead.pods;
  rank.domain = domain;
  return rank;
}

class LevelScan {
 public:
  LevelScan(const DomainQuery& query, int level, IdRange range)
      : query_(query), level_(level), range_(range), lead_(query.rows.front()) {}

  // The best keys of domains that hold the demand.
  std::optional<Keys> best_keys() const {
    bool anchored = query_.closeness != nullptr && !query_.closeness->empty();
    if (query_.rows.size() == 1 && !anchored && query_.strategy == Strategy::Binpack) {
      return tightest();
    }
    std::optional<Keys> best;
    for (uint32_t id = range_.first; id < range_.last; ++id) {
      DomainId domain(id);
      if (!holds(query_, domain)) continue;
      DomainRank rank = rank_without_children(query_, domain);
      Keys keys{rank.closeness, rank.left_over};
      if (!best || keys_before(keys, *best)) best = keys;
    }
    return best;
  }

  std::optional<DomainRank> best_with(const Keys& keys) const {
    int64_t bound = children_bound(*query_.tree, lead_, level_);
    std::optional<DomainRank> best;
    int64_t wanted = keys.left_over + lead_.pods;
    size_t first = first_equal(lead_.counts->counts(range_), wanted);
    for (uint32_t id = range_.first + static_cast<uint32_t>(first); id < range_.last; ++id) {
      DomainId domain(id);
      if ((*lead_.counts)[domain] != wanted || !holds(query_, domain)) continue;
      DomainRank rank = rank_without_children(query_, domain);
      if (rank.closeness != keys.closeness) continue;
      rank.children = children_needed(*query_.tree, lead_, domain);
      if (!best || ranks_before(rank, *best, query_.strategy)) best = rank;
      if (best->children <= bound) break;
    }
    return best;
  }

 private:
  // One pass without branches, because it decides the time of a warm gang.
  std::optional<Keys> tightest() const {
    int64_t least = least_at_least(lead_.counts->counts(range_), lead_.pods);
    if (least == INT64_MAX) return std::nullopt;
    return Keys{0, least - lead_.pods};
  }

  bool keys_before(const Keys& a, const Keys& b) const {
    return ranks_before({a.closeness, a.left_over, 0, DomainId(0U)},
                        {b.closeness, b.left_over, 0, DomainId(0U)}, query_.strategy);
  }

  const DomainQuery& query_;
  int level_;
  IdRange range_;
  RowDemand lead_;
};

bool level_too_small(const DomainQuery& query, int level) {
  return std::any_of(query.rows.begin(), query.rows.end(), [&](const RowDemand& row) {
    return row.counts->level_bound(*query.tree, level) < row.pods;
  });
}

void tighten_bounds(const DomainQuery& query, int level) {
  for (const RowDemand& row : query.rows) {
    row.counts->tighten(level, largest(row.counts->counts(query.tree->level(level))));
  }
}

std::optional<DomainRank> best_domain(const DomainQuery& query, int level, DomainId scope) {
  LevelScan scan(query, level, query.tree->descendants(scope, level));
  std::optional<Keys> keys = scan.best_keys();
  if (keys) return scan.best_with(*keys);
  if (scope == query.tree->root()) tighten_bounds(query, level);
  return std::nullopt;
}

// The parts of `domain` at `level`, in order of position, without those that can take nothing.
DomainParts parts_of(const DomainQuery& query, DomainId domain, int level) {
  const TopologyTree& tree = *query.tree;
  auto counts_any = [&](DomainId at, bool own_only) {
    return std::any_of(query.rows.begin(), query.rows.end(), [&](const RowDemand& row) {
      return (own_only ? own_count(tree, *row.counts, at) : (*row.counts)[at]) > 0;
    });
  };
  const DomainCounts& lead = *query.rows.front().counts;
  DomainParts parts;
  IdRange range = tree.descendants(domain, level);
  for (uint32_t id = range.first; id < range.last; ++id) {
    DomainId at(id);
    if (counts_any(at, false)) parts.push_back({at, false, lead[at], 0});
  }
  for (int above = level - 1; above >= tree.level_of(domain); --above) {
    range = tree.descendants(domain, above);
    for (uint32_t id = range.first; id < range.last; ++id) {
      DomainId at(id);
      if (tree.own_nodes(at).empty() || !counts_any(at, true)) continue;
      parts.push_back({at, true, own_count(tree, lead, at), 0});
    }
  }
  return parts;
}

// Sums of the largest counts that are still available.
class LargestSums {
 public:
  explicit LargestSums(size_t size) : sums_(size + 1, 0), taken_(size + 1, 0) {}

  void add(size_t rank, int64_t count, int64_t present) {
    for (size_t at = rank + 1; at < sums_.size(); at += at & (~at + 1)) {
      sums_[at] += count;
      taken_[at] += present;
    }
  }

  // Sum of the `wanted` first entries that are present.
  int64_t largest(int64_t wanted) const {
    size_t step = 1;
    while (step * 2 < sums_.size()) step *= 2;
    size_t at = 0;
    int64_t sum = 0;
    for (; step > 0; step /= 2) {
      size_t next = at + step;
      if (next >= sums_.size() || taken_[next] > wanted) continue;
      at = next;
      wanted -= taken_[next];
      sum += sums_[next];
    }
    return sum;
  }

 private:
  std::vector<int64_t> sums_;  // Fenwick trees over ranks, largest count first
  std::vector<int64_t> taken_;
};

int part_distance(const TopologyTree& tree, const DomainPart& a, const DomainPart& b) {
  return tree.distance(a.domain, b.domain);
}

bool larger(const DomainPart& a, const DomainPart& b) {
  return a.count != b.count ? a.count > b.count : a.domain < b.domain;
}

// Chooses among parts that are sorted by `larger` and marks the chosen ones; returns them in the
// order to fill them.
class Division {
 public:
  Division(const DomainQuery& query, std::span<DomainPart> parts)
      : query_(query), parts_(parts), sums_(parts_.size()) {
    for (size_t i = 0; i < parts_.size(); ++i) sums_.add(i, parts_[i].count, 1);
  }

  DomainParts run() {
    int64_t left = query_.rows.front().pods;
    int64_t fewest = fewest_parts(left);
    if (query_.even_unit > 0 && fewest > 1) {
      for (int64_t pods : even_sizes(left, fewest)) take_part(pods);
      return std::move(chosen_);
    }
    if (fewest > 1) take(0, left);
    if (fewest > 2) group_by_distance();
    while (fewest - static_cast<int64_t>(chosen_.size()) > 1) {
      take(nearest_that_leaves_enough(left, fewest), left);
    }
    if (left > 0) take(last_part(left), left);
    return std::move(chosen_);
  }

 private:
  int64_t fewest_parts(int64_t pods) const {
    int64_t used = 0;
    for (size_t i = 0; i < parts_.size() && pods > 0; ++i, ++used) pods -= parts_[i].count;
    return used;
  }

  // As even as the largest `fewest` parts allow, largest first; adds up to `pods`.
  std::vector<int64_t> even_sizes(int64_t pods, int64_t fewest) const {
    std::vector<int64_t> sizes;
    int64_t left = pods / query_.even_unit;
    for (int64_t i = fewest; i-- > 0;) {
      int64_t most = parts_[static_cast<size_t>(i)].count / query_.even_unit;
      sizes.push_back(std::min(most, left / (i + 1)));
      left -= sizes.back();
    }
    for (int64_t& size : sizes) size *= query_.even_unit;
    std::sort(sizes.begin(), sizes.end(), std::greater<>());
    return sizes;
  }

  void take_part(int64_t pods) {
    size_t index = last_part(pods);
    DomainPart part = parts_[index];
    part.pods = pods;
    parts_[index].pods = -1;  // chosen
    chosen_.push_back(part);
  }

  void take(size_t index, int64_t& left) {
    DomainPart part = parts_[index];
    part.pods = std::min(left, part.count);
    left -= part.pods;
    sums_.add(index, -part.count, -1);
    parts_[index].pods = -1;  // chosen
    chosen_.push_back(part);
  }

  // Groups of part indices, nearest to the first chosen part first, each largest first.
  void group_by_distance() {
    std::vector<std::pair<int, size_t>> keyed;
    for (size_t i = 1; i < parts_.size(); ++i) {
      keyed.emplace_back(part_distance(*query_.tree, chosen_.front(), parts_[i]), i);
    }
    std::sort(keyed.begin(), keyed.end());
    for (size_t i = 0; i < keyed.size(); ++i) {
      if (i == 0 || keyed[i].first != keyed[i - 1].first) groups_.emplace_back();
      groups_.back().push_back(keyed[i].second);
    }
    next_in_group_.assign(groups_.size(), 0);
  }

  size_t nearest_that_leaves_enough(int64_t left, int64_t fewest) {
    int64_t after_this = fewest - static_cast<int64_t>(chosen_.size()) - 1;
    for (size_t group = 0; group < groups_.size(); ++group) {
      if (next_in_group_[group] >= groups_[group].size()) continue;
      size_t index = groups_[group][next_in_group_[group]];
      int64_t count = parts_[index].count;
      sums_.add(index, -count, -1);
      bool enough = count + sums_.largest(after_this) >= left;
      sums_.add(index, count, 1);
      if (!enough) continue;
      ++next_in_group_[group];
      return index;
    }
    return 0;  // not reached: the largest part left always leaves enough
  }

  // The one part for all that is left: nearest to the first, then tightest (spread: largest).
  size_t last_part(int64_t left) const {
    size_t best = parts_.size();
    int best_distance = 0;
    for (size_t i = 0; i < parts_.size(); ++i) {
      if (parts_[i].pods < 0 || parts_[i].count < left) continue;
      int distance = chosen_.empty() ? -closeness(parts_[i])
                                     : part_distance(*query_.tree, chosen_.front(), parts_[i]);
      bool better = best == parts_.size() || distance < best_distance ||
                    (distance == best_distance && fits_better(parts_[i], parts_[best]));
      if (!better) continue;
      best = i;
      best_distance = distance;
    }
    return best;
  }

  int closeness(const DomainPart& part) const {
    if (query_.closeness == nullptr || query_.closeness->empty()) return 0;
    return static_cast<int>(query_.closeness->of(*query_.tree, part.domain));
  }

  bool fits_better(const DomainPart& a, const DomainPart& b) const {
    if (a.count == b.count) return a.domain < b.domain;
    return query_.strategy == Strategy::Binpack ? a.count < b.count : a.count > b.count;
  }

  const DomainQuery& query_;
  std::span<DomainPart> parts_;
  LargestSums sums_;
  DomainParts chosen_;
  std::vector<std::vector<size_t>> groups_;
  std::vector<size_t> next_in_group_;
};

}  // namespace

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

void CandidateDomains::begin(int level, DomainId scope) {
  level_ = level;
  scope_ = scope;
  first_.reset();
  gathered_ = false;
  turn_ = 0;
  looked_at_ = 0;
}

std::optional<DomainRank> CandidateDomains::next(const DomainQuery& query) {
  if (level_too_small(query, level_)) return std::nullopt;
  if (!first_) {
    looked_at_ += query.tree->descendants(scope_, level_).size();
    std::optional<DomainRank> best = best_domain(query, level_, scope_);
    if (best) first_ = best->domain;
    return best;
  }
  if (!gathered_) gather(query);
  if (turn_ == rest_.size()) return std::nullopt;
  if (turn_ == ranked_) rank_ties(query);
  return rest_[turn_++];
}

void CandidateDomains::gather(const DomainQuery& query) {
  gathered_ = true;
  rest_.clear();
  ranked_ = 0;
  IdRange range = query.tree->descendants(scope_, level_);
  looked_at_ += range.size();
  for (uint32_t id = range.first; id < range.last; ++id) {
    DomainId domain(id);
    if (domain == first_ || !holds(query, domain)) continue;
    rest_.push_back(rank_without_children(query, domain));
  }
  std::sort(rest_.begin(), rest_.end(), [&](const DomainRank& a, const DomainRank& b) {
    return ranks_before(a, b, query.strategy);
  });
}

// Orders the next domain of the rest, and those that tie with it so far, by their children.
void CandidateDomains::rank_ties(const DomainQuery& query) {
  size_t first = ranked_;
  const DomainRank& next = rest_[first];
  while (ranked_ < rest_.size() && rest_[ranked_].closeness == next.closeness &&
         rest_[ranked_].left_over == next.left_over) {
    DomainRank& tie = rest_[ranked_++];
    tie.children = children_needed(*query.tree, query.rows.front(), tie.domain);
    looked_at_ += query.tree->children(tie.domain).size();
  }
  auto from = rest_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(
      from, rest_.begin() + static_cast<std::ptrdiff_t>(ranked_),
      [&](const DomainRank& a, const DomainRank& b) { return ranks_before(a, b, query.strategy); });
}

DomainParts divide(const DomainQuery& query, DomainId domain, int level) {
  DomainParts parts = parts_of(query, domain, level);
  std::sort(parts.begin(), parts.end(), larger);
  return Division(query, {parts.data(), parts.size()}).run();
}

DomainParts ordered_parts(const DomainQuery& query, DomainId domain, int level) {
  DomainParts parts = parts_of(query, domain, level);
  for (DomainPart& part : parts) part.pods = part.count;
  std::sort(parts.begin(), parts.end(), larger);
  if (parts.size() < 3) return parts;
  std::stable_sort(parts.begin() + 1, parts.end(), [&](const DomainPart& a, const DomainPart& b) {
    return part_distance(*query.tree, parts.front(), a) <
           part_distance(*query.tree, parts.front(), b);
  });
  return parts;
}

}  // namespace trellis
