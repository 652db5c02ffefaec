#include "plugins/placementpreferences/service_groups.h"

#include <algorithm>
#include <utility>

#include "framework/check.h"

namespace trellis {
namespace {

template <class T>
void gather(std::span<const T> by_node, std::span<const NodeId> order, std::vector<T>& out) {
  out.clear();
  if (by_node.empty()) return;
  out.resize(order.size());
  for (size_t i = 0; i < order.size(); ++i) out[i] = by_node[order[i].value];
}

}  // namespace

std::vector<StrId> ServiceGroups::labels(std::span<const PlacementPreference> preferences) {
  std::vector<StrId> labels;
  for (const PlacementPreference& one : preferences) {
    if (one.over != PlacementPreference::Over::Label) break;
    labels.push_back(one.label);
  }
  return labels;
}

ServiceGroups::ServiceGroups(const GroupTree& tree,
                             std::span<const PlacementPreference> preferences, int64_t request)
    : tree_(tree), request_(request) {
  auto levels = static_cast<size_t>(tree.level_count());
  levels_.assign(preferences.begin(), preferences.begin() + static_cast<ptrdiff_t>(levels));
  if (levels < preferences.size()) {
    const PlacementPreference& last = preferences[levels];
    bool packs = last.way == PlacementPreference::Way::Pack;
    // Pods that request nothing of the resource do not change how much of it is in use.
    bool by_use = last.over == PlacementPreference::Over::Resource && request > 0;
    rule_ = by_use  ? (packs ? NodeRule::PackUse : NodeRule::SpreadUse)
            : packs ? NodeRule::PackCount
                    : NodeRule::SpreadCount;
  }
  bool weighted = false;
  for (const PlacementPreference& level : levels_) {
    hard_ = hard_ || level.max_skew > 0;
    weighted = weighted || !level.weights.empty();
  }
  if (!weighted) return;
  weights_.assign(tree.group_count(), 1);
  for (uint32_t id = 1; id < tree.group_count(); ++id) {
    GroupId group(id);
    weights_[group] = weight_of(levels_[static_cast<size_t>(tree.level_of(group))], group);
  }
}

int32_t ServiceGroups::weight_of(const PlacementPreference& preference, GroupId group) const {
  StrId value = tree_.value(group).valid() ? tree_.value(group) : StringTable::kEmpty;
  auto found = std::ranges::find(preference.weights, value, &LabelWeight::value);
  return found == preference.weights.end() ? 1 : found->weight;
}

void ServiceGroups::load(const ServiceColumns& columns) {
  std::span<const NodeId> order = tree_.node_order();
  nodes_.resize(order.size());
  auto of = [](std::span<const int32_t> column, size_t node) {
    return column.empty() ? 0 : column[node];
  };
  auto read = [&](uint32_t position, size_t node) {
    nodes_[position] = {columns.room[node], of(columns.running, node), of(columns.pods, node)};
  };
  if (order.size() * 4 < columns.room.size()) {
    for (uint32_t i = 0; i < order.size(); ++i) read(i, order[i].value);
  } else {
    // In the order of the columns: scattered writes cost less than scattered reads.
    for (uint32_t node = 0; node < columns.room.size(); ++node) {
      if (tree_.contains(NodeId(node))) read(tree_.position(NodeId(node)), node);
    }
  }
  gather(columns.failures, order, failures_);
  if (hard_) find_open(columns.closed);
  gather(columns.used, order, used_);
  gather(columns.capacity, order, capacity_);
  taken_.resize(order.size());
  sum_up();
  if (counts_pods()) {
    by_count_.restart(tree_);
  } else {
    by_use_.restart(tree_);
  }
}

void ServiceGroups::sum_up() {
  running_.assign(tree_.group_count(), 0);
  others_.assign(tree_.group_count(), 0);
  room_.assign(tree_.group_count(), 0);
  given_.assign(tree_.group_count(), 0);
  GroupRange last = tree_.last_groups();
  for (uint32_t id = last.first; id < last.last; ++id) {
    GroupRange nodes = tree_.nodes(GroupId(id));
    int64_t running = 0;
    int64_t others = 0;
    int64_t room = 0;
    for (uint32_t i = nodes.first; i < nodes.last; ++i) {
      running += nodes_[i].running;
      others += nodes_[i].others();
      room += nodes_[i].room;
    }
    running_[GroupId(id)] = running;
    others_[GroupId(id)] = others;
    room_[GroupId(id)] = room;
  }
  for (auto id = static_cast<uint32_t>(tree_.group_count()); id-- > 1;) {
    GroupId parent = tree_.parent(GroupId(id));
    running_[parent] += running_[GroupId(id)];
    others_[parent] += others_[GroupId(id)];
    room_[parent] += room_[GroupId(id)];
  }
}

void ServiceGroups::change(NodeId node, const ServiceNode& now, int64_t used) {
  uint32_t position = tree_.position(node);
  ServiceNode before = nodes_[position];
  nodes_[position] = now;
  if (!used_.empty()) used_[position] = used;
  GroupId last = tree_.last_group(position);
  for (GroupId group = last; group.valid(); group = tree_.parent(group)) {
    running_[group] += now.running - before.running;
    others_[group] += now.others() - before.others();
    room_[group] += now.room - before.room;
  }
  if (counts_pods()) {
    if (by_count_.built(last)) by_count_.set(last, position, key<CountKey>(position, 0));
  } else if (by_use_.built(last)) {
    by_use_.set(last, position, key<UseKey>(position, 0));
  }
}

void ServiceGroups::find_open(std::span<const uint8_t> closed) {
  open_.assign(tree_.group_count(), 0);
  std::span<const NodeId> order = tree_.node_order();
  for (uint32_t i = 0; i < order.size(); ++i) {
    if (closed.empty() || closed[order[i].value] == 0) open_[tree_.last_group(i)] = 1;
  }
  for (auto id = static_cast<uint32_t>(tree_.group_count()); id-- > 1;) {
    open_[tree_.parent(GroupId(id))] |= open_[GroupId(id)];
  }
}

// What each group takes at most. Below a hard preference no child may end with more than max_skew
// pods above the child that ends with fewest, and no child can end with more than it holds.
void ServiceGroups::limit_groups() {
  limit_ = room_;
  for (uint32_t id = tree_.last_groups().first; id-- > 0;) {
    GroupId group(id);
    const PlacementPreference& level = levels_[static_cast<size_t>(tree_.level_of(group) + 1)];
    GroupRange children = tree_.children(group);
    int64_t least = INT64_MAX;
    for (GroupId child(children.first); child.value < children.last; ++child.value) {
      if (open_[child] != 0) least = std::min(least, running_[child] + limit_[child]);
    }
    limit_[group] = 0;
    for (GroupId child(children.first); child.value < children.last; ++child.value) {
      if (level.max_skew > 0 && least != INT64_MAX) {
        int64_t most = std::max<int64_t>(0, least + level.max_skew - running_[child]);
        limit_[child] = std::min(limit_[child], most);
      }
      limit_[group] += limit_[child];
    }
  }
}

int64_t ServiceGroups::most() {
  if (!hard_) return room_[GroupTree::kRoot];
  limit_groups();
  return limit_[GroupTree::kRoot];
}

void ServiceGroups::divide(int64_t pods) {
  std::ranges::fill(given_, 0);
  parts_.clear();
  given_[GroupTree::kRoot] = std::min(pods, most());
  for (uint32_t id = 0; id < tree_.last_groups().first; ++id) {
    if (given_[GroupId(id)] > 0) divide_group(GroupId(id), hard_ ? limit_ : room_, given_);
  }
  for (uint32_t id = tree_.last_groups().first; id < tree_.last_groups().last; ++id) {
    if (given_[GroupId(id)] > 0) fill_group(GroupId(id));
  }
}

void ServiceGroups::divide_group(GroupId group, const IndexedVector<GroupId, int64_t>& room,
                                 IndexedVector<GroupId, int64_t>& new_pods) {
  const PlacementPreference& level = levels_[static_cast<size_t>(tree_.level_of(group) + 1)];
  GroupRange children = tree_.children(group);
  if (children.size() == 0) return;  // the root, where there are no nodes
  siblings_.clear();
  for (GroupId child(children.first); child.value < children.last; ++child.value) {
    int32_t weight = weights_.empty() ? 1 : weights_[child];
    siblings_.push_back({.running = running_[child],
                         .room = room[child],
                         .weight = weight,
                         .others = others_[child],
                         .nodes = tree_.nodes(child).size()});
  }
  std::span<int64_t> given(new_pods.data() + children.first, children.size());
  if (level.way == PlacementPreference::Way::Pack) {
    division_.pack(siblings_, new_pods[group], given);
  } else {
    division_.spread(siblings_, new_pods[group], given);
  }
}

std::vector<int64_t> ServiceGroups::wanted(int64_t pods) {
  IndexedVector<GroupId, int64_t> endless(tree_.group_count(), pods);
  IndexedVector<GroupId, int64_t> given(tree_.group_count(), 0);
  given[GroupTree::kRoot] = pods;
  for (uint32_t id = 0; id < tree_.last_groups().first; ++id) {
    if (given[GroupId(id)] > 0) divide_group(GroupId(id), endless, given);
  }
  return {given.begin(), given.end()};
}

std::vector<NodeId> ServiceGroups::sequence() const {
  std::vector<std::vector<NodeId>> below(tree_.group_count());
  for (NodeId node : node_sequence()) {
    below[tree_.last_group(tree_.position(node)).value].push_back(node);
  }
  for (uint32_t id = tree_.last_groups().first; id-- > 0;) {
    if (given_[GroupId(id)] > 0) below[id] = merged(GroupId(id), below);
  }
  return std::move(below.front());
}

// The nodes of parts_, in each last group in the order in which it was filled.
std::vector<NodeId> ServiceGroups::node_sequence() const {
  if (rule_ == NodeRule::SpreadCount) return spread_sequence<CountKey>();
  if (rule_ == NodeRule::SpreadUse) return spread_sequence<UseKey>();
  std::vector<NodeId> nodes;
  for (const NodePods& part : parts_) {
    nodes.insert(nodes.end(), static_cast<size_t>(part.pods), part.node);
  }
  return nodes;
}

template <class Key>
std::vector<NodeId> ServiceGroups::spread_sequence() const {
  std::vector<std::pair<Key, NodeId>> order;
  for (const NodePods& part : parts_) {
    uint32_t position = tree_.position(part.node);
    for (int32_t i = 0; i < part.pods; ++i) order.emplace_back(key<Key>(position, i), part.node);
  }
  std::ranges::stable_sort(order, {}, &std::pair<Key, NodeId>::first);
  std::vector<NodeId> nodes;
  for (const auto& [key, node] : order) nodes.push_back(node);
  return nodes;
}

// The pods of the groups below `group`. The next pod is always that of the child with the least
// total by weight; where the level packs, that of the child with most running pods.
std::vector<NodeId> ServiceGroups::merged(GroupId group,
                                          std::vector<std::vector<NodeId>>& below) const {
  struct Next {
    int64_t total = 0;
    int64_t weight = 1;
    NodeId node;
  };
  bool packs =
      levels_[static_cast<size_t>(tree_.level_of(group) + 1)].way == PlacementPreference::Way::Pack;
  std::vector<Next> order;
  GroupRange children = tree_.children(group);
  for (GroupId child(children.first); child.value < children.last; ++child.value) {
    int64_t total = running_[child];
    for (NodeId node : below[child.value]) {
      order.push_back(
          {packs ? -running_[child] : total++, weights_.empty() ? 1 : weights_[child], node});
    }
  }
  std::ranges::stable_sort(order, [packs](const Next& a, const Next& b) {
    return packs ? a.total < b.total : a.total * b.weight < b.total * a.weight;
  });
  std::vector<NodeId> nodes;
  for (const Next& next : order) nodes.push_back(next.node);
  return nodes;
}

void ServiceGroups::fill_group(GroupId group) {
  switch (rule_) {
    case NodeRule::SpreadCount:
      return fill_by_key(group, by_count_);
    case NodeRule::SpreadUse:
    case NodeRule::PackUse:
      return fill_by_key(group, by_use_);
    case NodeRule::PackCount:
      return pack_nodes(group);
  }
}

// Spread: the portion in use with the next pod on the node. Pack: the portion that is free before
// it.
void ServiceGroups::read_key(uint32_t position, int32_t given, UseKey& key) const {
  if (nodes_[position].room <= given) return;
  key.failures = failures_.empty() ? 0 : failures_[position];
  key.whole = capacity_[position];
  int64_t used = used_[position] + given * request_;
  key.part = rule_ == NodeRule::PackUse ? key.whole - used : used + request_;
}

template <class Key>
void ServiceGroups::fill_by_key(GroupId group, BestNodes<Key>& best) {
  auto key_at = [this](uint32_t position) { return key<Key>(position, 0); };
  if (!best.built(group)) best.build(group, key_at);
  touched_.clear();
  for (int64_t left = given_[group]; left > 0; --left) {
    uint32_t position = best.best(group);
    if (taken_[position]++ == 0) touched_.push_back(position);
    best.set(group, position, key<Key>(position, taken_[position]));
  }
  for (uint32_t position : touched_) {
    parts_.push_back({tree_.node_order()[position], taken_[position]});
    taken_[position] = 0;
  }
  // Restores the keys: one by one, or all at once where that is less work.
  if (touched_.size() * 8 > tree_.nodes(group).size()) {
    best.build(group, key_at);
  } else {
    for (uint32_t position : touched_) best.set(group, position, key_at(position));
  }
}

void ServiceGroups::pack_nodes(GroupId group) {
  GroupRange nodes = tree_.nodes(group);
  siblings_.clear();
  for (uint32_t i = nodes.first; i < nodes.last; ++i) {
    siblings_.push_back({.running = nodes_[i].running,
                         .room = nodes_[i].room,
                         .failures = failures_.empty() ? 0 : failures_[i]});
  }
  sibling_pods_.resize(siblings_.size());
  division_.pack(siblings_, given_[group], sibling_pods_);
  for (uint32_t i = 0; i < sibling_pods_.size(); ++i) {
    if (sibling_pods_[i] == 0) continue;
    parts_.push_back({tree_.node_order()[nodes.first + i], static_cast<int32_t>(sibling_pods_[i])});
  }
}

void ServiceGroups::check_invariants() const {
  auto check = [](bool holds) { require(holds, "groups of a service are what their nodes are"); };
  for (uint32_t id = 0; id < tree_.group_count(); ++id) {
    GroupRange nodes = tree_.nodes(GroupId(id));
    int64_t room = 0;
    for (uint32_t i = nodes.first; i < nodes.last; ++i) room += nodes_[i].room;
    check(room == room_[GroupId(id)]);
  }
  for (int32_t taken : taken_) check(taken == 0);
}

}  // namespace trellis
