#include "topology/domain_search.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "topology/count_kernels.h"

namespace trellis {
namespace {

bool ranks_before(const DomainQuery& query, const DomainRank& a, const DomainRank& b) {
  if (int order = compare(query, a, b)) return order < 0;
  if (a.children != b.children) return a.children < b.children;
  return a.domain < b.domain;
}

// The best domain of a level inside a scope.
class LevelScan {
 public:
  LevelScan(const DomainQuery& query, int level, DomainId scope)
      : query_(query),
        tree_(*query.tree),
        lead_(query.rows.front()),
        level_(level),
        scope_(scope),
        range_(tree_.descendants(scope, level)) {}

  std::optional<DomainRank> best() {
    bool anchored = query_.closeness != nullptr && !query_.closeness->empty();
    bool tightest = query_.rows.size() == 1 && !anchored && level_ >= query_.parts_level &&
                    query_.strategy == Strategy::Binpack;
    if (range_.size() == 1) {
      if (holds(query_, DomainId(range_.first)))
        best_ = DomainRank{.domain = DomainId(range_.first)};
    } else if (tightest) {
      find_tightest();
    } else {
      for (uint32_t id = range_.first; id < range_.last; ++id) {
        if (holds(query_, DomainId(id))) consider(DomainId(id));
      }
    }
    return best_;
  }

 private:
  // Passes without branches, because they decide the time of a warm gang.
  void find_tightest() {
    wanted_ = least_of_level(level_, lead_.pods);
    if (wanted_ == INT64_MAX) return;
    if (level_ - 1 <= tree_.level_of(scope_)) return consider_ties(range_);
    IdRange around = tree_.descendants(scope_, level_ - 1);
    // In most halls a domain with the least left over is inside the fullest domains around.
    constexpr int kFullest = 4;
    int64_t count = lead_.pods - 1;
    for (int i = 0; i < kFullest && !best_; ++i) {
      count = least_of_level(level_ - 1, count + 1);
      if (count == INT64_MAX) return;
      for (uint32_t id = first_of_level(level_ - 1, count); id < around.last; ++id) {
        id += static_cast<uint32_t>(first_equal(lead_.counts->counts({id, around.last}), count));
        if (id == around.last) break;
        consider_ties(tree_.children(DomainId(id)));
        if (best_ && is_least_possible(*best_)) return;
      }
    }
    if (best_) return;
    int64_t least = INT64_MAX;
    for (uint32_t id = around.first; id < around.last; ++id) {
      if ((*lead_.counts)[DomainId(id)] > least) continue;
      consider_ties(tree_.children(DomainId(id)));
      if (best_) least = (*lead_.counts)[tree_.parent(best_->domain)];
    }
  }

  // The least count that is not below `needed`, of the domains of a level inside the scope.
  // Cost: for a whole level, what DomainCounts has tallied.
  int64_t least_of_level(int level, int64_t needed) const {
    if (scope_ == tree_.root()) return lead_.counts->least_at_least(tree_, level, needed);
    return least_at_least(lead_.counts->counts(tree_.descendants(scope_, level)), needed);
  }

  // A domain of the level inside the scope; none before it has the count.
  uint32_t first_of_level(int level, int64_t count) const {
    if (scope_ != tree_.root()) return tree_.descendants(scope_, level).first;
    DomainId first = lead_.counts->first_equal(tree_, level, count);
    return first.valid() ? first.value : tree_.level(level).last;
  }

  // The domains of the range that have the wanted count.
  void consider_ties(IdRange range) {
    for (uint32_t id = range.first; id < range.last; ++id) {
      id += static_cast<uint32_t>(first_equal(lead_.counts->counts({id, range.last}), wanted_));
      if (id == range.last) return;
      consider(DomainId(id));
      if (best_->domain == DomainId(id) && needs_fewest(*best_)) return;
    }
  }

  // REQUIRES: in order of path.
  void consider(DomainId domain) {
    DomainRank rank = rank_of(query_, domain);
    int order = best_ ? compare(query_, rank, *best_) : -1;
    if (order > 0) return;
    if (order == 0) {
      if (needs_fewest(*best_)) return;
      rank.children = children_needed(query_, domain);
      if (rank.children >= best_->children) return;
    }
    best_ = rank;
  }

  // Whether no domain of the level needs fewer children.
  bool needs_fewest(DomainRank& rank) {
    if (fewest_ < 0) fewest_ = children_bound(query_, level_);
    if (rank.children == 0) rank.children = children_needed(query_, rank.domain);
    return rank.children <= fewest_;
  }

  // Whether no domain with the same count around it ranks before it: all domains further around
  // are left with the least that any can be left with that holds the demand.
  bool is_least_possible(DomainRank& rank) {
    if (!needs_fewest(rank)) return false;
    DomainId at = tree_.parent(rank.domain);
    for (int level = level_ - 2; level > tree_.level_of(scope_); --level) {
      at = tree_.parent(at);
      std::span<const int64_t> counts = lead_.counts->counts(tree_.descendants(scope_, level));
      if ((*lead_.counts)[at] != least_at_least(counts, lead_.pods)) return false;
    }
    return true;
  }

  const DomainQuery& query_;
  const TopologyTree& tree_;
  RowDemand lead_;
  int level_;
  DomainId scope_;
  IdRange range_;
  int64_t wanted_ = 0;   // the least count of the level that holds the demand
  int64_t fewest_ = -1;  // children that any domain needs at the least; -1: not known
  std::optional<DomainRank> best_;
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
  std::optional<DomainRank> best = LevelScan(query, level, scope).best();
  if (!best && scope == query.tree->root()) tighten_bounds(query, level);
  return best;
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
    rest_.push_back(rank_of(query, domain));
  }
  std::sort(rest_.begin(), rest_.end(),
            [&](const DomainRank& a, const DomainRank& b) { return ranks_before(query, a, b); });
}

// Orders the next domain of the rest, and those that tie with it so far, by their children.
void CandidateDomains::rank_ties(const DomainQuery& query) {
  size_t first = ranked_;
  const DomainRank next = rest_[first];
  while (ranked_ < rest_.size() && compare(query, rest_[ranked_], next) == 0) {
    DomainRank& tie = rest_[ranked_++];
    tie.children = children_needed(query, tie.domain);
    looked_at_ += query.tree->children(tie.domain).size();
  }
  auto from = rest_.begin() + static_cast<std::ptrdiff_t>(first);
  std::sort(from, rest_.begin() + static_cast<std::ptrdiff_t>(ranked_),
            [&](const DomainRank& a, const DomainRank& b) { return ranks_before(query, a, b); });
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
