#include "session/placement/gang_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "session/placement/arrangement_search.h"
#include "session/placement/rank_order.h"

namespace trellis {
namespace {

// The most choices of pods that make up the number, when pods differ and not all are needed.
constexpr size_t kMostChoices = 256;
constexpr size_t kTryWork = 64;  // a try by itself, whatever it examines

// Ways to choose the pods of every leaf; the choices of the first leaves change slowest.
class PodChoices {
 public:
  PodChoices(const PlacementContext& context, GangId gang, const GangNeed& need) {
    std::vector<PodId> waiting = context.waiting_pods(gang);
    const std::vector<Subgroup>& subgroups = context.cluster().gangs()[gang].subgroups;
    std::vector<std::vector<PodId>> pods(subgroups.empty() ? 1 : subgroups.size());
    for (PodId pod : waiting) {
      int32_t subgroup = subgroups.empty() ? 0 : context.snapshot().key(pod).subgroup;
      if (subgroup >= 0) pods[static_cast<size_t>(subgroup)].push_back(pod);
    }
    for (const LeafNeed& leaf : need) {
      Leaf& made = leaves_.emplace_back();
      made.subgroup = leaf.subgroup;
      made.rows =
          group_rows(context.snapshot(), pods[static_cast<size_t>(std::max(leaf.subgroup, 0))]);
    }
    // The choices of the last leaves change fastest: once there are enough of them, the leaves
    // before never change.
    size_t ways = 1;
    for (size_t i = leaves_.size(); i-- > 0;) {
      Leaf& leaf = leaves_[i];
      size_t most = leaf.rows.size() == 1 ? 1 : (kMostChoices + ways - 1) / ways;
      leaf.choices = row_choices(leaf.rows, need[i].pods, most);
      ways = std::min(kMostChoices, ways * std::max<size_t>(leaf.choices.size(), 1));
    }
  }

  bool possible() const {
    return std::none_of(leaves_.begin(), leaves_.end(),
                        [](const Leaf& leaf) { return leaf.choices.empty(); });
  }
  bool cut() const { return cut_; }

  std::vector<LeafPods> current() const {
    std::vector<LeafPods> pods;
    for (const Leaf& leaf : leaves_) {
      LeafPods& made = pods.emplace_back();
      made.subgroup = leaf.subgroup;
      const std::vector<int64_t>& counts = leaf.choices[leaf.turn];
      for (size_t i = 0; i < leaf.rows.size(); ++i) {
        if (counts[i] == 0) continue;
        const std::vector<PodId>& all = leaf.rows[i].pods;
        made.rows.push_back({leaf.rows[i].pod_class, {all.begin(), all.begin() + counts[i]}});
      }
    }
    return pods;
  }

  // False after the last choice, or when enough were tried.
  bool next() {
    if (++looked_at_ == kMostChoices) {
      cut_ = true;
      return false;
    }
    for (size_t i = leaves_.size(); i-- > 0;) {
      if (++leaves_[i].turn < leaves_[i].choices.size()) return true;
      leaves_[i].turn = 0;
    }
    return false;
  }

 private:
  struct Leaf {
    int32_t subgroup = -1;
    std::vector<RowPods> rows;
    std::vector<std::vector<int64_t>> choices;
    size_t turn = 0;
  };

  std::vector<Leaf> leaves_;
  size_t looked_at_ = 0;
  bool cut_ = false;  // there are more than were tried
};

// Whether segments as units may have a place where segments by count have none: only as units are
// they spread over several domains, the rests of nested layers tried everywhere, and the division
// of one unit changed for another's sake.
bool may_fit_as_units(std::span<const PlacementUnit> units) {
  return std::any_of(units.begin(), units.end(), [&](const PlacementUnit& unit) {
    if (unit.segments.empty()) return false;
    return units.size() > 1 || unit.segments.size() > 1 || unit.segments.front().preferred.valid();
  });
}

// The rows of the unit itself if it has pods, else of all units below it.
std::vector<RowPods> rows_below(std::span<const PlacementUnit> units, size_t above) {
  if (!units[above].rows.empty()) return units[above].rows;
  std::vector<RowPods> rows;
  for (size_t unit = above + 1; unit < units.size(); ++unit) {
    if (!is_below(units, unit, above)) continue;
    rows.insert(rows.end(), units[unit].rows.begin(), units[unit].rows.end());
  }
  return rows;
}

// Whether all pods are of one class: counts then are exactly what a domain takes.
bool all_equal(std::span<const LeafPods> leaves) {
  PodClassId first;
  for (const LeafPods& leaf : leaves) {
    for (const RowPods& row : leaf.rows) {
      if (first.valid() && first != row.pod_class) return false;
      first = row.pod_class;
    }
  }
  return true;
}

}  // namespace

// Places a gang without structure whose waiting pods are equal: one unit, nothing to choose.
// nullopt: the gang is of another kind.
std::optional<SearchResult> GangSearch::place_equal(GangId id, const GangNeed& need) {
  const Gang& gang = context_.cluster().gangs()[id];
  if (!gang.subgroups.empty() || !gang.segments.empty()) return std::nullopt;
  one_unit_.rows.resize(1);
  RowPods& row = one_unit_.rows.front();
  context_.waiting_pods(id, row.pods);
  row.pod_class = context_.snapshot().key(row.pods.front()).pod_class;
  bool equal = std::all_of(row.pods.begin(), row.pods.end(), [&](PodId pod) {
    return context_.snapshot().key(pod).pod_class == row.pod_class;
  });
  if (!equal) return std::nullopt;
  row.pods.resize(static_cast<size_t>(need.front().pods));
  context_.placed_nodes(id, one_unit_.placed);
  return place_row(id);
}

SearchResult GangSearch::place_row(GangId gang) {
  one_unit_.constraint = context_.cluster().gangs()[gang].topology;
  one_unit_.balanced = context_.cluster().gangs()[gang].balanced;
  budget_.set_classes(1);
  if (place_units({&one_unit_, 1})) return SearchResult::Placed;
  budget_.spend(kTryWork);
  return budget_.exhausted() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult GangSearch::place(GangId gang, const GangNeed& need) {
  budget_.forgive();
  budget_.spend(context_.cluster().pods_of(gang).size());
  if (std::optional<SearchResult> result = place_equal(gang, need)) return *result;
  PodChoices choices(context_, gang, need);
  if (!choices.possible()) return SearchResult::NoFit;
  do {
    if (place_leaves(gang, choices.current())) return SearchResult::Placed;
    if (budget_.exhausted()) return SearchResult::BudgetExhausted;
  } while (choices.next());
  // If there are more choices than were tried, nothing is proved.
  return choices.cut() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult GangSearch::place_one(GangId gang, PodId pod, std::span<const NodeId> placed) {
  budget_.forgive();
  one_unit_.rows.resize(1);
  one_unit_.rows.front().pod_class = context_.snapshot().key(pod).pod_class;
  one_unit_.rows.front().pods.assign(1, pod);
  one_unit_.placed.assign(placed.begin(), placed.end());
  return place_row(gang);
}

SearchResult GangSearch::place_again(GangId gang, std::span<const PodId> pods) {
  budget_.forgive();
  std::map<int32_t, std::vector<RowPods>> rows;  // by subgroup
  for (const RowPods& row : group_rows(context_.snapshot(), pods)) {
    for (PodId pod : row.pods) {
      std::vector<RowPods>& of_leaf = rows[context_.snapshot().key(pod).subgroup];
      if (of_leaf.empty() || of_leaf.back().pod_class != row.pod_class) {
        of_leaf.push_back({row.pod_class, {}});
      }
      of_leaf.back().pods.push_back(pod);
    }
  }
  std::vector<LeafPods> leaves;
  for (auto& [subgroup, of_leaf] : rows) leaves.push_back({subgroup, std::move(of_leaf)});
  if (place_leaves(gang, leaves)) return SearchResult::Placed;
  return budget_.exhausted() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

bool GangSearch::place_leaves(GangId gang, std::span<const LeafPods> leaves) {
  std::set<PodClassId> classes;
  size_t rows = 0;
  for (const LeafPods& leaf : leaves) {
    rows += leaf.rows.size();
    for (const RowPods& row : leaf.rows) classes.insert(row.pod_class);
  }
  budget_.set_classes(classes.size());
  budget_.spend(context_.cluster().pods_of(gang).size() + rows * classes.size());
  bool plain = std::all_of(leaves.begin(), leaves.end(), [&](const LeafPods& leaf) {
    return std::all_of(leaf.rows.begin(), leaf.rows.end(),
                       [&](const RowPods& row) { return context_.fits().plain(row.pod_class); });
  });
  SegmentForm form = plain ? SegmentForm::Counted : SegmentForm::Units;
  std::vector<PlacementUnit> units = make_units(context_, gang, leaves, form);
  if (place_units(units)) return true;
  if (budget_.exhausted()) return false;
  if (may_fit_as_units(units)) {
    units = make_units(context_, gang, leaves, SegmentForm::Units);
    if (place_units(units)) return true;
  }
  // With pods of different sizes, what one unit leaves depends on how its pods are placed.
  if (budget_.exhausted() || units.size() == 1 || search_.proved()) return false;
  if (!plain) {
    budget_.give_up();  // other arrangements of pods with terms are not tried
    return false;
  }
  if (all_equal(leaves)) return false;
  Statement::Checkpoint start = context_.statement().checkpoint();
  if (!ArrangementSearch(context_, budget_, mode_).place(units)) return false;
  keep_ranks_together(context_, start, units);
  return true;
}

bool GangSearch::place_units(std::span<const PlacementUnit> units) {
  Statement::Checkpoint start = context_.statement().checkpoint();
  if (search_.place(units)) {
    keep_ranks_together(context_, start, units);
    return true;
  }
  const UnitFailure& where = search_.failure();
  failure_ = SearchFailure{units[where.unit], rows_below(units, where.unit), where};
  return false;
}

}  // namespace trellis
