#include "plugins/placementpreferences/placement_preferences.h"

#include <algorithm>

namespace trellis {

using Over = PlacementPreference::Over;
using Way = PlacementPreference::Way;

void PlacementPreferencesPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  plans_.clear();
  gangs_.clear();
  kept_.open(view);
  hooks.node_counters.push_back({this, name()});
  hooks.listeners.push_back({this, name()});
  hooks.pod_divider.supply(this, name());
}

bool PlacementPreferencesPlugin::applies(PodClassId pod_class) const {
  return preferences(pod_class).max_pods_per_node > 0;
}

void PlacementPreferencesPlugin::count_fit(PodClassId pod_class, FitMode mode,
                                           std::span<const NodeId> nodes,
                                           std::span<int32_t> counts) const {
  const PlacementPreferences& asked = preferences(pod_class);
  for (size_t i = 0; i < nodes.size(); ++i) {
    int64_t there = pods_.at(asked.service, nodes[i]).in_the_way(mode);
    int64_t left = std::max<int64_t>(0, asked.max_pods_per_node - there);
    counts[i] = static_cast<int32_t>(std::min<int64_t>(counts[i], left));
  }
}

ReasonCode PlacementPreferencesPlugin::refusal(PodClassId pod_class, FitMode mode,
                                               NodeId node) const {
  const PlacementPreferences& asked = preferences(pod_class);
  bool full = pods_.at(asked.service, node).in_the_way(mode) >= asked.max_pods_per_node;
  return full ? ReasonCode::TooManyPodsOfService : ReasonCode::None;
}

bool PlacementPreferencesPlugin::tracks(PodClassId pod_class) const {
  return preferences(pod_class).service.valid();
}

void PlacementPreferencesPlugin::placed(PodClassId pod_class, NodeId node, Presence presence) {
  count(pod_class, node, presence, 1);
}

void PlacementPreferencesPlugin::removed(PodClassId pod_class, NodeId node, Presence presence) {
  count(pod_class, node, presence, -1);
}

void PlacementPreferencesPlugin::count(PodClassId pod_class, NodeId node, Presence presence,
                                       int64_t change) {
  StrId service = preferences(pod_class).service;
  pods_.add(service, node, presence, change);
  bool counts = presence == Presence::Stays || presence == Presence::Promised;
  auto plan = counts ? plans_.find(service.value) : plans_.end();
  if (plan == plans_.end()) return;
  if (change > 0) {
    plan->second.placed(node);
  } else {
    plan->second.removed(node);
  }
}

bool PlacementPreferencesPlugin::divides(PodClassId pod_class) const {
  return !preferences(pod_class).list.empty();
}

bool PlacementPreferencesPlugin::may_refuse(PodClassId pod_class) const {
  return std::ranges::any_of(preferences(pod_class).list,
                             [](const PlacementPreference& one) { return one.max_skew > 0; });
}

// An even spread is the same whether pods come one by one or all at once.
bool PlacementPreferencesPlugin::depends_on_rest(PodClassId pod_class) const {
  return std::ranges::any_of(preferences(pod_class).list, [](const PlacementPreference& one) {
    return one.way == Way::Pack || !one.weights.empty();
  });
}

std::span<const NodePods> PlacementPreferencesPlugin::divide(const DivisionQuery& query) {
  parts_.clear();
  bool plans = query.waiting > 0 && depends_on_rest(query.pod_class);
  StrId service = preferences(query.pod_class).service;
  auto known = plans ? plans_.find(service.value) : plans_.end();
  if (known != plans_.end() && follow(known->second, query)) return parts_;
  int64_t pods = plans ? waiting(query) : query.pods;
  ServiceGroups& groups = kept_.of(query);
  groups.divide(pods);
  if (pods == query.pods) {
    parts_.assign(groups.parts().begin(), groups.parts().end());
    return parts_;
  }
  DivisionPlan& plan = plans_[service.value];
  plan = DivisionPlan(query, pods, groups.sequence());
  follow(plan, query);
  return parts_;
}

// How many pods of the class wait, the pods of the query included.
int64_t PlacementPreferencesPlugin::waiting(const DivisionQuery& query) {
  if (gangs_.empty()) {
    for (uint32_t i = 0; i < view_->gangs->size(); ++i) {
      const std::vector<PodId>& pods = (*view_->pods_of_gang)[GangId(i)];
      if (!pods.empty()) gangs_.emplace_back((*view_->pods)[pods.front()].pod_class, GangId(i));
    }
    std::ranges::sort(gangs_);
  }
  int64_t sum = 0;
  for (auto [pod_class, gang] : std::ranges::equal_range(gangs_, query.pod_class, {},
                                                         &std::pair<PodClassId, GangId>::first)) {
    sum += (*view_->gang_counts)[gang].waiting;
  }
  return std::max({sum, query.waiting, query.pods});
}

// False where the plan no longer holds.
bool PlacementPreferencesPlugin::follow(const DivisionPlan& plan, const DivisionQuery& query) {
  if (!plan.answers(query)) return false;
  absl::flat_hash_map<uint32_t, size_t> index;  // by node
  for (NodeId node : plan.next(query.pods)) {
    auto [at, is_new] = index.try_emplace(node.value, parts_.size());
    if (is_new) parts_.push_back({node, 0});
    ++parts_[at->second].pods;
  }
  bool fits = std::ranges::all_of(parts_, [&](const NodePods& part) {
    return view_->counts->node_fit(part.node, query.pod_class, query.mode) >= part.pods;
  });
  if (!fits) parts_.clear();
  return fits;
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
      one.label =
          preferences(query.pod_class).list[static_cast<size_t>(tree.level_of(group))].label;
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
