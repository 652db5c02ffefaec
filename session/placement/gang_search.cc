#include "session/placement/gang_search.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace trellis {
namespace {

// The most choices of pods that make up the number, when pods differ and not all are needed.
constexpr size_t kMostChoices = 256;

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
  size_t needed = static_cast<size_t>(need.front().pods);
  add_later(id, row.pods, needed);
  row.pods.resize(needed);
  context_.placed_nodes(id, one_unit_.placed);
  return place_row(id);
}

// The pods that are not needed now, and those that are held.
void GangSearch::add_later(GangId gang, std::span<const PodId> waiting, size_t needed) {
  std::vector<GangRow>& later = one_unit_.later;
  later.clear();
  std::span<const PodId> all = context_.cluster().pods_of(gang);
  const Snapshot& snapshot = context_.snapshot();
  int32_t spares = context_.cluster().gangs()[gang].spares;
  if (spares > 0) add_to_rows(one_unit_.rows.front().pod_class, spares, later);
  if (all.size() == needed) return;
  for (PodId pod : waiting.subspan(needed)) add_to_rows(snapshot.key(pod).pod_class, 1, later);
  auto is_held = [&](PodId pod) {
    return snapshot.key(pod).hold != PodHold::None &&
           snapshot.pod(pod).status == PodStatus::Pending;
  };
  if (std::ranges::none_of(all, is_held)) return;
  // By rank, since the order of rows may decide which domain takes them.
  for (PodId pod : context_.ranked_pods(gang)) {
    if (is_held(pod)) add_to_rows(snapshot.key(pod).pod_class, 1, later);
  }
}

SearchResult GangSearch::place_row(GangId gang) {
  one_unit_.constraint = context_.cluster().gangs()[gang].topology;
  one_unit_.near = context_.near_nodes(gang);
  one_unit_.balanced = context_.cluster().gangs()[gang].balanced;
  return demand_.place_one(one_unit_);
}

SearchResult GangSearch::place(GangId gang, const GangNeed& need) {
  demand_.budget().forgive();
  demand_.budget().spend(context_.cluster().pods_of(gang).size());
  if (std::optional<SearchResult> result = place_equal(gang, need)) return *result;
  PodChoices choices(context_, gang, need);
  if (!choices.possible()) return SearchResult::NoFit;
  do {
    SearchResult result = place_leaves(gang, choices.current());
    if (result != SearchResult::NoFit) return result;
  } while (choices.next());
  // If there are more choices than were tried, nothing is proved.
  return choices.cut() ? SearchResult::BudgetExhausted : SearchResult::NoFit;
}

SearchResult GangSearch::place_one(GangId gang, PodId pod, std::span<const NodeId> placed) {
  demand_.budget().forgive();
  one_unit_.rows.resize(1);
  one_unit_.rows.front().pod_class = context_.snapshot().key(pod).pod_class;
  one_unit_.rows.front().pods.assign(1, pod);
  one_unit_.later.clear();
  one_unit_.placed.assign(placed.begin(), placed.end());
  return place_row(gang);
}

SearchResult GangSearch::place_again(GangId gang, std::span<const PodId> pods) {
  demand_.budget().forgive();
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
  return place_leaves(gang, leaves);
}

SearchResult GangSearch::place_leaves(GangId gang, std::span<const LeafPods> leaves) {
  demand_.budget().spend(context_.cluster().pods_of(gang).size());
  std::vector<const RowPods*> rows;
  for (const LeafPods& leaf : leaves) {
    for (const RowPods& row : leaf.rows) rows.push_back(&row);
  }
  return demand_.place(rows, [&](SegmentForm form) {
    std::vector<PlacementUnit> units = make_units(context_, gang, leaves, form);
    units.front().near = context_.near_nodes(gang);
    return units;
  });
}

}  // namespace trellis
