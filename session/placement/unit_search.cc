#include "session/placement/unit_search.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/append.h"
#include "session/placement/divided_fill.h"
#include "session/placement/fewest_parts.h"
#include "session/placement/unit_fill.h"
#include "topology/tree.h"

namespace trellis {
namespace {

constexpr size_t kNoStep = SIZE_MAX;
constexpr size_t kMostNear = 64;  // nodes that attract others; the latest are enough

bool is_bound(const PlacementUnit& unit) {
  return unit.constraint.required.valid() ||
         std::ranges::any_of(unit.segments,
                             [](const SegmentLayer& layer) { return layer.required.valid(); });
}

}  // namespace

void UnitSearch::enter_above(size_t unit, std::vector<bool>& entered) {
  std::vector<size_t> chain;
  for (int32_t at = units_[unit].parent; at >= 0; at = units_[static_cast<size_t>(at)].parent) {
    chain.push_back(static_cast<size_t>(at));
  }
  for (size_t i = chain.size(); i-- > 0;) {
    if (entered[chain[i]]) continue;
    entered[chain[i]] = true;
    entered_by_[chain[i]] = static_cast<int32_t>(steps_.size());
    append(steps_, {chain[i], StepKind::Enter});
  }
}

// Whether the unit's running pods bind the others to a domain.
bool UnitSearch::has_home(size_t index) const {
  auto [topology, level] = tree_.level(index);
  if (level < 0) return false;
  const TopologyTree& tree = context_.snapshot().trees()[topology];
  return !home_domains(tree, units_[index].placed, level).empty();
}

void UnitSearch::plan_steps() {
  size_t size = units_.size();
  steps_.clear();
  entered_by_.assign(size, -1);
  one_home_ = false;
  if (size == 1) {
    append(steps_, {0, StepKind::Fill});
    return;
  }
  budget_.spend(4 * size);
  std::vector<size_t> turns = tree_.turns(first_);
  std::vector<bool> busy(size, false);  // the unit or one below it has pods to place
  std::vector<bool> busy_below(size, false);
  std::vector<std::tuple<size_t, int, int64_t, int64_t, size_t>> to_fill;
  for (size_t unit = size; unit-- > 0;) {
    if (!units_[unit].rows.empty()) {
      busy[unit] = true;
      const UnitBinding& binding = tree_.binding(unit);
      to_fill.emplace_back(turns[unit], -binding.depth, -binding.pods, -pods_of(units_[unit].rows),
                           unit);
    }
    if (!busy[unit] || units_[unit].parent < 0) continue;
    busy[static_cast<size_t>(units_[unit].parent)] = true;
    busy_below[static_cast<size_t>(units_[unit].parent)] = true;
  }
  std::sort(to_fill.begin(), to_fill.end());
  one_home_ = to_fill.size() == 1 && has_home(std::get<4>(to_fill.front()));
  std::vector<bool> entered(size, false);
  for (const auto& [turn, depth, together, pods, unit] : to_fill) {
    enter_above(unit, entered);
    if (busy_below[unit] && !entered[unit]) {
      entered[unit] = true;
      entered_by_[unit] = static_cast<int32_t>(steps_.size());
      append(steps_, {unit, StepKind::Enter});
    }
    append(steps_, {unit, StepKind::Fill});
  }
}

// Gathers the rows of the unit itself, or of all units below it too.
void UnitSearch::gather_rows(const Step& step, std::vector<GangRow>& rows) {
  rows.clear();
  auto gather = [&](const PlacementUnit& unit) {
    budget_.spend(1 + unit.rows.size() * (1 + rows.size() / 4));
    for (const RowPods& row : unit.rows) {
      add_to_rows(row.pod_class, static_cast<int64_t>(row.pods.size()), rows);
    }
  };
  if (step.kind == StepKind::Fill) return gather(units_[step.unit]);
  for (uint32_t unit : tree_.inside(step.unit)) gather(units_[unit]);
}

// What the gang has placed so far attracts what follows.
void UnitSearch::set_near(size_t step) {
  near_end_.resize(step + 1);
  if (step == 0) {
    start_near();
  } else {
    near_.resize(near_end_[step - 1]);
    if (steps_[step - 1].kind == StepKind::Fill) {
      for (const RowPods& row : units_[steps_[step - 1].unit].rows) {
        for (PodId pod : row.pods) near_.push_back(context_.snapshot().pod(pod).node);
      }
    }
  }
  near_end_[step] = near_.size();
}

// The queries of all steps look into near_, so it has its room before the first one does.
void UnitSearch::start_near() {
  near_.clear();
  const std::vector<NodeId>& others = units_.front().near;
  if (units_.size() <= 1) {
    near_ = others;
    return;
  }
  const std::vector<NodeId>& placed = units_.front().placed;
  size_t most = others.size() + placed.size();
  for (const PlacementUnit& unit : units_) {
    for (const RowPods& row : unit.rows) most += row.pods.size();
  }
  near_.reserve(most);
  near_ = others;
  near_.insert(near_.end(), placed.begin(), placed.end());
}

void UnitSearch::begin(size_t step) {
  constexpr size_t kBeginWork = 64;  // by itself, whatever it examines
  budget_.spend(kBeginWork);
  set_near(step);
  if (frames_.size() <= step) frames_.resize(step + 1);
  if (!frames_[step]) frames_[step] = std::make_unique<Frame>();
  Frame& frame = *frames_[step];
  frame.modes.clear();
  frame.paid_for = 0;
  frame.chosen = NodeGroup();
  frame.passed.clear();
  frame.fewest = false;
  frame.query = GroupQuery();
  const Step& current = steps_[step];
  const PlacementUnit& unit = units_[current.unit];
  gather_rows(current, frame.rows);
  frame.below.clear();
  if (current.kind == StepKind::Enter) frame.below = units_below(current.unit);
  frame.before = context_.statement().checkpoint();
  GroupQuery& query = frame.query;
  frame.constraint = unit.constraint;
  // Preferences order what the required level leaves open, so they apply to its whole domain.
  bool preferences = current.kind == StepKind::Fill && has_preferences(context_, unit);
  if (preferences && !unit.constraint.preferred.valid() && unit.segments.empty()) {
    frame.constraint.preferred = unit.constraint.required;
  }
  // The place of the pods is decided below: one domain that holds it is as good as another.
  bool settled = current.kind == StepKind::Enter && one_home_;
  if (settled) frame.constraint.preferred = unit.constraint.required;
  query.constraint = &frame.constraint;
  query.segments = unit.segments;
  query.balanced = unit.balanced;
  query.rows = frame.rows;
  query.placed = unit.placed;
  // Nodes are not near each other across topologies.
  bool same_tree =
      step == 0 || units_[steps_[step - 1].unit].constraint.topology == unit.constraint.topology;
  if (same_tree) query.near = std::span(near_).last(std::min(near_.size(), kMostNear));
  for (int32_t at = unit.parent; at >= 0; at = units_[static_cast<size_t>(at)].parent) {
    const TopologyConstraint& outer = units_[static_cast<size_t>(at)].constraint;
    if (!query.preferred_above.valid()) query.preferred_above = outer.preferred;
  }
  if (!query.preferred_above.valid()) query.preferred_above = unit.divided_to;
  query.divided = steps_[step].kind == StepKind::Fill;
  query.mode = step > 0 ? frames_[0]->chosen.mode : mode_;
  set_scope(step);
  FeasibleNodes* feasible = context_.hooks().feasible_nodes;
  if (feasible != nullptr) ask_groups(frame, query);
  if (frame.groups != nullptr) return narrow(current, frame);
  // No plugin would keep the unit in its required domain: it has no place.
  if (feasible == nullptr && is_bound(unit)) return;
  if (query.mode) {
    frame.modes = {*query.mode};
  } else {
    if (context_.fits().anything_leaving()) frame.modes.push_back(FitMode::Future);
    frame.modes.push_back(FitMode::Now);
  }
}

// The domains of the units above: the innermost, and of other topologies the innermost of each.
void UnitSearch::set_scope(size_t step) {
  Frame& frame = *frames_[step];
  GroupQuery& query = frame.query;
  size_t current = steps_[step].unit;
  query.scope_topology = units_[current].scope_topology;
  query.scope = units_[current].scope;
  frame.around.clear();
  bool own = query.divided && entered_by_[current] >= 0;
  bool found = false;
  int32_t at = own ? static_cast<int32_t>(current) : units_[current].parent;
  for (; at >= 0; at = units_[static_cast<size_t>(at)].parent) {
    auto unit = static_cast<size_t>(at);
    if (entered_by_[unit] < 0) continue;
    const NodeGroup& chosen = frames_[static_cast<size_t>(entered_by_[unit])]->chosen;
    // Without a topology the unit above is anywhere.
    if (!chosen.topology.valid()) continue;
    if (!std::exchange(found, true)) {
      query.scope_topology = chosen.topology;
      query.scope = chosen.domain;
      continue;
    }
    bool known = chosen.topology == query.scope_topology ||
                 std::ranges::find(frame.around, chosen.topology, &ScopeDomain::topology) !=
                     frame.around.end();
    if (!known) frame.around.push_back({chosen.topology, chosen.domain});
  }
  query.around = frame.around;
}

void UnitSearch::ask_groups(Frame& frame, const GroupQuery& query) {
  frame.groups = context_.hooks().feasible_nodes->groups(query, std::move(frame.groups));
  frame.paid_for = 0;
}

// False: there are none.
bool UnitSearch::add_later(const Step& step, std::vector<GangRow>& rows) const {
  bool any = false;
  auto add = [&](const PlacementUnit& unit) {
    any = any || !unit.later.empty();
    for (const GangRow& row : unit.later) add_to_rows(row.pod_class, row.count, rows);
  };
  if (step.kind == StepKind::Fill) {
    add(units_[step.unit]);
  } else {
    for (uint32_t unit : tree_.inside(step.unit)) add(units_[unit]);
  }
  return any;
}

// The domain that takes all pods that the unit has or may get comes before those that take only the
// pods to place now: otherwise the others would find no room beside them.
void UnitSearch::narrow(const Step& step, Frame& frame) {
  frame.narrowed = false;
  frame.all_rows = frame.rows;
  if (!add_later(step, frame.all_rows)) return;
  GroupQuery& query = frame.query;
  if (!query.segments.empty() && frame.all_rows.size() > 1) return;
  frame.whole = query;
  frame.whole.rows = frame.all_rows;
  frame.whole.divided = false;
  frame.whole.mode = query.mode.value_or(FitMode::Now);
  ask_groups(frame, frame.whole);
  NodeGroup all;
  bool narrower = frame.groups != nullptr && frame.groups->next(all) && all.domain.valid() &&
                  (!query.scope.valid() || query.scope_topology == all.topology);
  if (frame.groups != nullptr) budget_.spend(static_cast<size_t>(frame.groups->looked_at()));
  if (narrower) {
    frame.narrowed = true;
    frame.outer_topology = query.scope_topology;
    frame.outer = query.scope;
    query.scope_topology = all.topology;
    query.scope = all.domain;
    query.mode = frame.whole.mode;
  }
  ask_groups(frame, query);
}

bool UnitSearch::next_group(Frame& frame) {
  if (!frame.passed.empty()) {
    frame.chosen = std::move(frame.passed.back());
    frame.passed.pop_back();
    return true;
  }
  while (frame.groups != nullptr) {
    bool found = frame.groups->next(frame.chosen);
    int64_t looked_at = frame.groups->looked_at();
    budget_.spend(static_cast<size_t>(looked_at - frame.paid_for) + frame.chosen.parts.size());
    frame.paid_for = looked_at;
    if (found || !frame.narrowed) return found;
    frame.narrowed = false;
    frame.query.scope_topology = frame.outer_topology;
    frame.query.scope = frame.outer;
    if (&frame == frames_.front().get()) frame.query.mode = mode_;
    ask_groups(frame, frame.query);
  }
  if (frame.modes.empty()) return false;
  frame.chosen = NodeGroup();
  frame.chosen.mode = frame.modes.back();
  frame.modes.pop_back();
  return true;
}

bool UnitSearch::try_next(size_t step) {
  Frame& frame = *frames_[step];
  context_.statement().rollback(frame.before);
  while (next_group(frame)) {
    bool enters = steps_[step].kind == StepKind::Enter;
    if (enters ? may_enter(frame) : fill(step)) return true;
    if (!budget_.spend(1)) return false;
  }
  return false;
}

std::vector<UnitSearch::UnitsBelow> UnitSearch::units_below(size_t above) {
  std::vector<UnitsBelow> below;
  for (uint32_t i : tree_.inside(above).subspan(1)) {
    const PlacementUnit& unit = units_[i];
    budget_.spend(1 + below.size() / 4);
    if (unit.rows.size() != 1 || !unit.placed.empty()) continue;
    auto [topology, level] = tree_.level(i);
    if (level < 0) continue;
    PodClassId pod_class = unit.rows.front().pod_class;
    int64_t pods = pods_of(unit.rows);
    UnitsBelow fresh{pod_class, topology, level, 0, pods, pods};
    auto same = std::find_if(below.begin(), below.end(), [&](const UnitsBelow& known) {
      return known.pod_class == fresh.pod_class && known.topology == fresh.topology &&
             known.level == fresh.level;
    });
    if (same == below.end()) same = below.insert(below.end(), fresh);
    ++same->units;
    same->least = std::min(same->least, pods);
    same->most = std::max(same->most, pods);
  }
  return below;
}

// Whether the group holds the units below, by count.
bool UnitSearch::holds(const UnitsBelow& below, const NodeGroup& group) {
  if (group.topology.valid() && below.topology != group.topology) return true;
  const TopologyTree& tree = context_.snapshot().trees()[below.topology];
  const DomainCounts& counts =
      context_.fits().domain_counts(below.topology, below.pod_class, group.mode);
  DomainId inside = group.topology.valid() ? group.domain : tree.root();
  int level = std::max(below.level, tree.level_of(inside));
  int64_t room = 0;
  int64_t largest = 0;
  IdRange range = tree.descendants(inside, level);
  budget_.spend(range.size());
  for (int64_t count : counts.counts(range)) {
    room += count / below.least;
    largest = std::max(largest, count);
  }
  return room >= below.units && largest >= below.most;
}

bool UnitSearch::may_enter(const Frame& frame) {
  return std::all_of(frame.below.begin(), frame.below.end(),
                     [&](const UnitsBelow& below) { return holds(below, frame.chosen); });
}

bool UnitSearch::fill(size_t step) {
  Frame& frame = *frames_[step];
  const PlacementUnit& unit = units_[steps_[step].unit];
  if (!UnitFill(context_, budget_).fill(unit, frame.query, frame.chosen)) return false;
  if (!std::exchange(frame.fewest, true)) use_fewest_parts(unit, frame);
  return true;
}

// Where pods differ and prefer a level, another domain may divide them among fewer of that level.
void UnitSearch::use_fewest_parts(const PlacementUnit& unit, Frame& frame) {
  const NodeGroup& group = frame.chosen;
  bool divided = frame.groups != nullptr && !group.exact && group.parts.size() > 1 &&
                 frame.constraint.preferred.valid();
  bool foreign = has_foreign_scope(frame.query, group.topology);
  if (!divided || foreign || has_preferences(context_, unit)) return;
  std::vector<SearchRow> rows = search_rows(unit);
  bool plain = std::ranges::all_of(
      rows, [&](const SearchRow& row) { return context_.fits().plain(row.pod_class); });
  if (!plain) return;
  FewestParts(context_, budget_, frame.before)
      .choose(rows, *frame.groups, frame.chosen, frame.passed);
  std::reverse(frame.passed.begin(), frame.passed.end());
}

// Equal pods under equal bounds: whichever domain one of them has, it leaves as much for the other.
bool UnitSearch::alike(const Step& a, const Step& b) const {
  if (a.kind != StepKind::Fill || b.kind != StepKind::Fill) return false;
  const PlacementUnit& x = units_[a.unit];
  const PlacementUnit& y = units_[b.unit];
  return x.parent == y.parent && x.constraint == y.constraint && x.segments == y.segments &&
         x.rows.size() == 1 && y.rows.size() == 1 && x.placed.empty() && y.placed.empty() &&
         x.rows.front().pod_class == y.rows.front().pod_class &&
         context_.fits().plain(x.rows.front().pod_class) &&
         x.rows.front().pods.size() == y.rows.front().pods.size();
}

size_t UnitSearch::step_to_retry(size_t failed) {
  for (size_t step = failed; step-- > 0 && budget_.spend(1);) {
    if (!alike(steps_[step], steps_[failed])) return step;
  }
  return kNoStep;
}

void UnitSearch::note_failure(size_t step) {
  if (step < furthest_) return;
  furthest_ = step + 1;
  const GroupQuery& query = frames_[step]->query;
  failure_ = {steps_[step].unit, query.scope_topology, query.scope};
}

bool UnitSearch::place(std::span<const PlacementUnit> units) {
  units_ = units;
  first_.clear();
  if (units.size() > 1) {
    tree_ = UnitTree(context_, units);
    budget_.spend(tree_.size());
  }
  if (place_in_order()) return true;
  UnitFailure failure = failure_;
  // The unit that the others left no room for goes first, unless it already did.
  while (filled_ && !budget_.exhausted() && !std::ranges::count(first_, failure_.unit)) {
    first_.push_back(failure_.unit);
    if (place_in_order()) return true;
  }
  failure_ = failure;
  return false;
}

bool UnitSearch::place_in_order() {
  furthest_ = 0;
  filled_ = false;
  plan_steps();
  Statement::Checkpoint start = context_.statement().checkpoint();
  size_t at = 0;
  begin(at);
  while (true) {
    if (try_next(at)) {
      filled_ = filled_ || steps_[at].kind == StepKind::Fill;
      if (at + 1 == steps_.size()) return true;
      begin(++at);
      continue;
    }
    note_failure(at);
    size_t retry = budget_.exhausted() ? kNoStep : step_to_retry(at);
    if (retry == kNoStep) {
      context_.statement().rollback(start);
      return false;
    }
    at = retry;
  }
}

}  // namespace trellis
