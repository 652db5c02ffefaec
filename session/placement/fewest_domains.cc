#include "session/placement/fewest_domains.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/append.h"
#include "framework/topology_levels.h"
#include "session/placement/divided_fill.h"
#include "session/placement/mixed_search.h"
#include "session/placement/unit_fill.h"
#include "session/placement/unit_search.h"
#include "topology/tree.h"

namespace trellis {
namespace {

ResolvedLevels levels_of(const PlacementContext& context, const PlacementUnit& unit,
                         TopologyId topology) {
  if (!unit.constraint.topology.valid()) return {};
  const Cluster& cluster = context.cluster();
  return resolve_levels(cluster.topologies()[topology], unit.constraint,
                        cluster.vocabulary().strings);
}

}  // namespace

// Whether counts and sizes of pods are all that decides, in one topology.
bool FewestDomains::applies() {
  const PlacementUnit& gang = units_.front();
  if (units_.size() == 1 || !gang.constraint.preferred.valid()) return false;
  if (gang.balanced || !gang.placed.empty()) return false;
  for (const PlacementUnit& unit : units_) {
    StrId topology = unit.constraint.topology;
    if (topology.valid() && topology != gang.constraint.topology) return false;
    if (!unit.segments.empty() || has_preferences(context_, unit)) return false;
    bool plain = std::ranges::all_of(
        unit.rows, [&](const RowPods& row) { return context_.fits().plain(row.pod_class); });
    if (!plain) return false;
  }
  const Cluster& cluster = context_.cluster();
  topology_ = cluster.find_topology(cluster.vocabulary().strings.view(gang.constraint.topology));
  if (!topology_.valid()) return false;
  tree_ = &context_.snapshot().trees()[topology_];
  preferred_ = levels_of(context_, gang, topology_).preferred;
  return preferred_ >= 0;
}

// False: some node is in no domain of the preferred level.
bool FewestDomains::span_of(const std::vector<KeptPlace>& places, Span& span) const {
  for (const KeptPlace& kept : places) {
    if (!tree_->contains(kept.node)) return false;
    DomainId part = tree_->ancestor(tree_->domain_of(kept.node), preferred_);
    if (!part.valid()) return false;
    append(span.parts, part);
  }
  std::ranges::sort(span.parts);
  span.parts.erase(std::unique(span.parts.begin(), span.parts.end()), span.parts.end());
  span.around = span.parts.front();
  while (!covers(*tree_, span.around, span.parts.back())) span.around = tree_->parent(span.around);
  bool now = context_.statement().decisions()[before_.decisions].kind == Decision::Kind::Bind;
  span.mode = now ? FitMode::Now : FitMode::Future;
  return true;
}

bool FewestDomains::is_better(const Span& a, const Span& b) const {
  auto key = [&](const Span& span) {
    return std::tuple(-tree_->level_of(span.around), span.mode == FitMode::Future,
                      span.parts.size());
  };
  return key(a) < key(b);
}

bool FewestDomains::place_as_one(SearchBudget& budget) {
  PlacementUnit one = units_.front();
  one.rows.clear();
  one.later.clear();
  for (const PlacementUnit& unit : units_) {
    for (const RowPods& row : unit.rows) add_row(row, one.rows);
    for (const GangRow& row : unit.later) add_to_rows(row.pod_class, row.count, one.later);
  }
  return UnitSearch(context_, budget, mode_).place({&one, 1});
}

// Whether the unit is bound to a domain below the one around.
bool FewestDomains::is_bound(const PlacementUnit& unit, const Span& span) const {
  return levels_of(context_, unit, topology_).required > tree_->level_of(span.around);
}

// Units that are bound the most go first, of those the ones that need most of what there is.
std::vector<FewestDomains::Turn> FewestDomains::turns(const Span& span) {
  std::vector<Turn> turns;
  for (const PlacementUnit& unit : units_) {
    if (unit.rows.empty()) continue;
    Turn& turn = turns.emplace_back();
    ResolvedLevels levels = levels_of(context_, unit, topology_);
    turn.unit = &unit;
    turn.bound = is_bound(unit, span);
    turn.level = std::max(turn.bound ? levels.required : levels.preferred, preferred_);
    for (const RowPods& row : unit.rows) {
      int64_t room = context_.fits().total(row.pod_class, span.mode);
      turn.need +=
          static_cast<double>(row.pods.size()) / static_cast<double>(std::max<int64_t>(1, room));
    }
  }
  std::ranges::stable_sort(turns, [](const Turn& a, const Turn& b) {
    return std::tuple(!a.bound, -a.level, -a.need) < std::tuple(!b.bound, -b.level, -b.need);
  });
  return turns;
}

// In the tightest domain that takes all of it, else in the fewest, those first that take most.
bool FewestDomains::place_unit(const Turn& turn, const Span& span, SearchBudget& budget) {
  std::vector<SearchRow> rows = search_rows(*turn.unit);
  const DomainCounts& counts =
      context_.fits().domain_counts(topology_, rows.front().pod_class, span.mode);
  std::vector<DomainId> domains;
  for (DomainId part : span.parts) {
    IdRange inside = tree_->descendants(part, turn.level);
    budget.spend(inside.size());
    for (uint32_t id = inside.first; id < inside.last; ++id) {
      if (counts[DomainId(id)] > 0) domains.emplace_back(id);
    }
  }
  std::ranges::stable_sort(domains, {}, [&](DomainId domain) { return counts[domain]; });
  NodeGroup group;
  group.topology = topology_;
  group.domain = span.around;
  group.mode = span.mode;
  group.exact = false;
  for (DomainId domain : domains) group.parts.push_back({tree_->nodes(domain), 0});
  MixedSearch search(context_, budget);
  if (search.place_in(rows, group, 1)) return true;
  if (turn.bound) return false;
  std::reverse(group.parts.begin(), group.parts.end());
  return search.place(rows, group);
}

bool FewestDomains::place_inside(const Span& span, SearchBudget& budget) {
  // Units that share a domain of their own would have to be placed there together.
  for (const PlacementUnit& unit : units_) {
    if (unit.parent > 0 && is_bound(units_[static_cast<size_t>(unit.parent)], span)) return false;
  }
  for (const Turn& turn : turns(span)) {
    if (!budget.exhausted() && place_unit(turn, span, budget)) continue;
    context_.statement().rollback(before_);
    return false;
  }
  return true;
}

void FewestDomains::improve(std::span<const PlacementUnit> units) {
  units_ = units;
  if (!applies()) return;
  std::vector<KeptPlace> kept = places_since(context_, before_);
  Span found;
  if (kept.empty() || !span_of(kept, found) || found.parts.size() == 1) return;
  SearchBudget half = budget_.part(2);
  Statement& statement = context_.statement();
  statement.rollback(before_);
  Span least;
  std::vector<KeptPlace> as_one;
  if (place_as_one(half)) as_one = places_since(context_, before_);
  bool better = !as_one.empty() && span_of(as_one, least) && is_better(least, found);
  statement.rollback(before_);
  if (!better || !place_inside(least, half)) {
    bool holds = better && std::ranges::none_of(units_, [&](const PlacementUnit& unit) {
                   return is_bound(unit, least);
                 });
    take_places(context_, holds ? as_one : kept, holds ? least.mode : found.mode);
  }
  budget_.charge(half);
}

}  // namespace trellis
