#include "session/placement/gang_search.h"

#include <algorithm>
#include <utility>

#include "session/placement/arrangement_search.h"
#include "session/placement/rank_order.h"

namespace trellis {
namespace {

// Choices of which pods make up the number, when they differ and not all are needed.
constexpr size_t kMostChoices = 256;

// Ways to choose the pods of every leaf, those of the first leaves changing slowest.
class PodChoices {
 public:
  PodChoices(const Session& session, GangId gang, const GangNeed& need) {
    std::vector<PodId> waiting = session.waiting_pods(gang);
    bool structured = !session.cluster().gangs()[gang].subgroups.empty();
    for (const LeafNeed& leaf : need) {
      std::vector<PodId> pods;
      for (PodId pod : waiting) {
        if (!structured || session.snapshot().key(pod).subgroup == leaf.subgroup) {
          pods.push_back(pod);
        }
      }
      Leaf& made = leaves_.emplace_back();
      made.subgroup = leaf.subgroup;
      made.rows = group_rows(session.snapshot(), pods);
      made.choices = row_choices(made.rows, leaf.pods, made.rows.size() == 1 ? 1 : kMostChoices);
      cut_ = cut_ || made.choices.size() == kMostChoices;
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

  // False after the last, or when enough were looked at.
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
  bool cut_ = false;
};

// Whether segments as units may have a place where segments by count have none: only then are
// they spread over several domains, the rests of nested layers tried everywhere, and the division
// of one unit changed for another's sake.
bool may_fit_as_units(std::span<const PlacementUnit> units) {
  return std::any_of(units.begin(), units.end(), [&](const PlacementUnit& unit) {
    if (unit.segments.empty()) return false;
    return units.size() > 1 || unit.segments.size() > 1 || unit.segments.front().preferred.valid();
  });
}

// Of the unit itself where it has pods, else of all below it.
std::vector<RowPods> rows_below(std::span<const PlacementUnit> units, size_t above) {
  if (!units[above].rows.empty()) return units[above].rows;
  std::vector<RowPods> rows;
  for (size_t unit = above + 1; unit < units.size(); ++unit) {
    if (!is_below(units, unit, above)) continue;
    rows.insert(rows.end(), units[unit].rows.begin(), units[unit].rows.end());
  }
  return rows;
}

// Pods of one class everywhere: counts say exactly what a domain takes.
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

// A gang without structure whose waiting pods are equal: one unit, nothing to choose. nullopt: it
// is another.
std::optional<SearchResult> GangSearch::place_equal(GangId id, const GangNeed& need) {
  const Gang& gang = session_.cluster().gangs()[id];
  if (!gang.subgroups.empty() || !gang.segments.empty()) return std::nullopt;
  one_unit_.rows.resize(1);
  RowPods& row = one_unit_.rows.front();
  session_.waiting_pods(id, row.pods);
  row.pod_class = session_.snapshot().key(row.pods.front()).pod_class;
  bool equal = std::all_of(row.pods.begin(), row.pods.end(), [&](PodId pod) {
    return session_.snapshot().key(pod).pod_class == row.pod_class;
  });
  if (!equal) return std::nullopt;
  row.pods.resize(static_cast<size_t>(need.front().pods));
  session_.placed_nodes(id, one_unit_.placed);
  return place_row(id);
}

SearchResult GangSearch::place_row(GangId gang) {
  one_unit_.constraint = session_.cluster().gangs()[gang].topology;
  one_unit_.balanced = session_.cluster().gangs()[gang].balanced;
  if (place_units({&one_unit_, 1})) return SearchResult::Placed;
  return budget_.exhausted ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult GangSearch::place(GangId gang, const GangNeed& need) {
  refill_budget();
  if (std::optional<SearchResult> result = place_equal(gang, need)) return *result;
  PodChoices choices(session_, gang, need);
  if (!choices.possible()) return SearchResult::NoFit;
  do {
    if (place_leaves(gang, choices.current())) return SearchResult::Placed;
    if (budget_.exhausted) return SearchResult::BudgetExhausted;
  } while (choices.next());
  // With more choices than were looked at, nothing is proved.
  return choices.cut() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult GangSearch::place_one(GangId gang, PodId pod, std::span<const NodeId> placed) {
  refill_budget();
  one_unit_.rows.resize(1);
  one_unit_.rows.front().pod_class = session_.snapshot().key(pod).pod_class;
  one_unit_.rows.front().pods.assign(1, pod);
  one_unit_.placed.assign(placed.begin(), placed.end());
  return place_row(gang);
}

SearchResult GangSearch::place_again(GangId gang, std::span<const PodId> pods) {
  refill_budget();
  std::vector<LeafPods> leaves;
  for (const RowPods& row : group_rows(session_.snapshot(), pods)) {
    for (PodId pod : row.pods) {
      int32_t subgroup = session_.snapshot().key(pod).subgroup;
      auto leaf = std::find_if(leaves.begin(), leaves.end(),
                               [&](const LeafPods& known) { return known.subgroup == subgroup; });
      if (leaf == leaves.end()) leaf = leaves.insert(leaves.end(), {subgroup, {}});
      if (leaf->rows.empty() || leaf->rows.back().pod_class != row.pod_class) {
        leaf->rows.push_back({row.pod_class, {}});
      }
      leaf->rows.back().pods.push_back(pod);
    }
  }
  std::sort(leaves.begin(), leaves.end(),
            [](const LeafPods& a, const LeafPods& b) { return a.subgroup < b.subgroup; });
  if (place_leaves(gang, leaves)) return SearchResult::Placed;
  return budget_.exhausted ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

void GangSearch::refill_budget() {
  budget_.left = session_.config().limits.search_budget;
  budget_.exhausted = false;
}

bool GangSearch::place_leaves(GangId gang, std::span<const LeafPods> leaves) {
  bool plain = std::all_of(leaves.begin(), leaves.end(), [&](const LeafPods& leaf) {
    return std::all_of(leaf.rows.begin(), leaf.rows.end(),
                       [&](const RowPods& row) { return session_.fits().plain(row.pod_class); });
  });
  SegmentForm form = plain ? SegmentForm::Counted : SegmentForm::Units;
  std::vector<PlacementUnit> units = make_units(session_, gang, leaves, form);
  if (place_units(units)) return true;
  if (budget_.exhausted) return false;
  if (may_fit_as_units(units)) {
    units = make_units(session_, gang, leaves, SegmentForm::Units);
    if (place_units(units)) return true;
  }
  // With pods of different sizes, what one unit leaves depends on how its pods stand.
  if (budget_.exhausted || units.size() == 1 || search_.proved()) return false;
  if (!plain) {
    budget_.exhausted = true;  // other arrangements of pods with terms are not tried
    return false;
  }
  if (all_equal(leaves)) return false;
  Statement::Checkpoint start = session_.statement().checkpoint();
  if (!ArrangementSearch(session_, budget_, mode_).place(units)) return false;
  keep_ranks_together(session_, start, units);
  return true;
}

bool GangSearch::place_units(std::span<const PlacementUnit> units) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  if (search_.place(units)) {
    keep_ranks_together(session_, start, units);
    return true;
  }
  const UnitFailure& where = search_.failure();
  failure_ = SearchFailure{units[where.unit], rows_below(units, where.unit), where};
  return false;
}

}  // namespace trellis
