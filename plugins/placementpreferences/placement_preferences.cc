#include "plugins/placementpreferences/placement_preferences.h"

#include <algorithm>

namespace trellis {

using Over = PlacementPreference::Over;
using Way = PlacementPreference::Way;

void PlacementPreferencesPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  plan_ = Plan();
  kept_.open(view);
  hooks.node_counters.push_back({this, name()});
  hooks.listeners.push_back({this, name()});
  hooks.pod_divider = this;
}

bool PlacementPreferencesPlugin::applies(PodClassId pod_class) const {
  return wishes(pod_class).max_pods_per_node > 0;
}

void PlacementPreferencesPlugin::count_fit(PodClassId pod_class, FitMode mode,
                                           std::span<const NodeId> nodes,
                                           std::span<int32_t> counts) const {
  const PlacementPreferences& wished = wishes(pod_class);
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t there = pods_.at(wished.service, nodes[i]).in_the_way(mode);
    int64_t left = std::max<int64_t>(0, wished.max_pods_per_node - there);
    counts[i] = static_cast<int32_t>(std::min<int64_t>(counts[i], left));
  }
}

ReasonCode PlacementPreferencesPlugin::refusal(PodClassId pod_class, FitMode mode,
                                               NodeId node) const {
  const PlacementPreferences& wished = wishes(pod_class);
  bool full = pods_.at(wished.service, node).in_the_way(mode) >= wished.max_pods_per_node;
  return full ? ReasonCode::TooManyPodsOfService : ReasonCode::None;
}

bool PlacementPreferencesPlugin::tracks(PodClassId pod_class) const {
  return wishes(pod_class).service.valid();
}

void PlacementPreferencesPlugin::placed(PodClassId pod_class, NodeId node, Presence presence) {
  pods_.add(wishes(pod_class).service, node, presence, 1);
}

void PlacementPreferencesPlugin::removed(PodClassId pod_class, NodeId node, Presence presence) {
  pods_.add(wishes(pod_class).service, node, presence, -1);
}

bool PlacementPreferencesPlugin::divides(PodClassId pod_class) const {
  return !wishes(pod_class).list.empty();
}

bool PlacementPreferencesPlugin::may_refuse(PodClassId pod_class) const {
  return std::ranges::any_of(wishes(pod_class).list,
                             [](const PlacementPreference& one) { return one.max_skew > 0; });
}

// Spread evenly, pods that come one by one stand as those that come at once.
bool PlacementPreferencesPlugin::needs_plan(const DivisionQuery& query) const {
  if (query.waiting <= query.pods || may_refuse(query.pod_class)) return false;
  return std::ranges::any_of(wishes(query.pod_class).list, [](const PlacementPreference& one) {
    return one.way == Way::Pack || !one.weights.empty();
  });
}

std::span<const NodeShare> PlacementPreferencesPlugin::divide(const DivisionQuery& query) {
  shares_.clear();
  if (!needs_plan(query)) {
    ServiceGroups& groups = kept_.of(query);
    groups.divide(query.pods);
    shares_.assign(groups.shares().begin(), groups.shares().end());
    return shares_;
  }
  if (follow_plan(query)) return shares_;
  ServiceGroups& groups = kept_.of(query);
  groups.divide(query.waiting);
  plan_.pod_class = query.pod_class;
  plan_.mode = query.mode;
  plan_.among.assign(query.nodes.begin(), query.nodes.end());
  plan_.service_pods = pods_.total(wishes(query.pod_class).service);
  plan_.waiting = query.waiting;
  plan_.sequence = groups.sequence();
  take_from_plan(0, query.pods);
  return shares_;
}

// What was planned holds while nobody else's pods of the service come or go, and the nodes still
// have room.
bool PlacementPreferencesPlugin::follow_plan(const DivisionQuery& query) {
  if (plan_.pod_class != query.pod_class || plan_.mode != query.mode) return false;
  if (!std::ranges::equal(plan_.among, query.nodes)) return false;
  int64_t taken = pods_.total(wishes(query.pod_class).service) - plan_.service_pods;
  if (taken < 0 || plan_.waiting - taken != query.waiting) return false;
  take_from_plan(static_cast<size_t>(taken), query.pods);
  return std::ranges::all_of(shares_, [&](const NodeShare& share) {
    return view_->counts->node_fit(share.node, query.pod_class, query.mode) >= share.pods;
  });
}

void PlacementPreferencesPlugin::take_from_plan(size_t first, int64_t pods) {
  shares_.clear();
  size_t last = std::min(plan_.sequence.size(), first + static_cast<size_t>(pods));
  for (size_t i = first; i < last; ++i) {
    auto known = std::ranges::find(shares_, plan_.sequence[i], &NodeShare::node);
    if (known == shares_.end()) {
      shares_.push_back({plan_.sequence[i], 1});
    } else {
      ++known->pods;
    }
  }
}

std::vector<DividedGroup> PlacementPreferencesPlugin::explain(const DivisionQuery& query) {
  ServiceGroups& groups = kept_.of(query);
  const GroupTree& tree = kept_.tree();
  std::vector<int64_t> wanted = groups.wanted(query.pods);
  groups.divide(query.pods);
  std::vector<DividedGroup> made;
  for (uint32_t id = 0; id < tree.group_count(); ++id) {
    GroupId group(id);
    DividedGroup one;
    one.parent = id == 0 ? -1 : static_cast<int32_t>(tree.parent(group).value);
    if (id > 0) {
      one.label = wishes(query.pod_class).list[static_cast<size_t>(tree.level_of(group))].label;
      one.value = tree.value(group);
    }
    one.nodes = tree.nodes(group).size();
    one.running = groups.running(group);
    one.room = groups.room(group);
    one.wanted = wanted[id];
    one.given = groups.given(group);
    made.push_back(one);
  }
  return made;
}

}  // namespace trellis
