#include "plugins/placementpreferences/group_tree.h"

#include <algorithm>
#include <string_view>

#include "framework/check.h"

namespace trellis {
namespace {

StrId value_of(const Node& node, StrId label) {
  StrId value = find_label(node.labels, label);
  return value == StringTable::kEmpty ? StrId() : value;
}

// The values that occur, by id, each with its position by text; kNone, a missing label, comes last
// in both orders.
struct RankedValue {
  StrId value;
  uint32_t position = 0;
};

std::vector<RankedValue> rank_values(std::span<const StrId> values, const StringTable& strings) {
  std::vector<StrId> distinct(values.begin(), values.end());
  std::ranges::sort(distinct);
  distinct.erase(std::ranges::unique(distinct).begin(), distinct.end());
  std::vector<RankedValue> ranked;
  for (StrId value : distinct) ranked.push_back({value, 0});
  auto named = distinct.end() - (!distinct.empty() && !distinct.back().valid() ? 1 : 0);
  std::sort(distinct.begin(), named,
            [&](StrId a, StrId b) { return strings.view(a) < strings.view(b); });
  for (uint32_t position = 0; position < distinct.size(); ++position) {
    std::ranges::lower_bound(ranked, distinct[position], {}, &RankedValue::value)->position =
        position;
  }
  return ranked;
}

// Sorts nodes by the value of a label; nodes with the same value keep their order.
void sort_by_label(StrId label, const IndexedVector<NodeId, Node>& records,
                   const StringTable& strings, std::vector<NodeId>& nodes) {
  std::vector<StrId> values(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) values[i] = value_of(records[nodes[i]], label);
  std::vector<RankedValue> ranked = rank_values(values, strings);
  std::vector<uint32_t> positions(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) {
    bool repeats = i > 0 && values[i] == values[i - 1];
    positions[i] =
        repeats ? positions[i - 1]
                : std::ranges::lower_bound(ranked, values[i], {}, &RankedValue::value)->position;
  }
  std::vector<uint32_t> next(ranked.size() + 1);
  for (uint32_t position : positions) ++next[position + 1];
  for (size_t i = 1; i < next.size(); ++i) next[i] += next[i - 1];
  std::vector<NodeId> sorted(nodes.size());
  for (size_t i = 0; i < nodes.size(); ++i) sorted[next[positions[i]]++] = nodes[i];
  nodes = std::move(sorted);
}

}  // namespace

GroupTree::GroupTree(std::span<const StrId> labels, std::span<const NodeId> by_name,
                     const IndexedVector<NodeId, Node>& records, const StringTable& strings)
    : node_order_(by_name.begin(), by_name.end()), position_(records.size(), UINT32_MAX) {
  for (size_t i = labels.size(); i-- > 0;) sort_by_label(labels[i], records, strings, node_order_);
  auto count = static_cast<uint32_t>(node_order_.size());
  for (uint32_t i = 0; i < count; ++i) position_[node_order_[i]] = i;

  Group root;
  root.nodes = {0, count};
  groups_.push_back(root);
  levels_.push_back({0, 1});
  std::vector<StrId> values(count);
  for (StrId label : labels) {
    for (uint32_t i = 0; i < count; ++i) values[i] = value_of(records[node_order_[i]], label);
    divide(values);
  }
  last_group_.resize(count);
  for (uint32_t id = last_groups().first; id < last_groups().last; ++id) {
    GroupRange nodes = groups_[GroupId(id)].nodes;
    std::fill(last_group_.begin() + nodes.first, last_group_.begin() + nodes.last, GroupId(id));
  }
}

// Adds a level: `values` by position.
void GroupTree::divide(std::span<const StrId> values) {
  GroupRange above = levels_.back();
  for (uint32_t id = above.first; id < above.last; ++id) {
    GroupId parent(id);
    GroupRange nodes = groups_[parent].nodes;
    auto first = static_cast<uint32_t>(groups_.size());
    for (uint32_t at = nodes.first; at < nodes.last; ++at) {
      bool opens = at == nodes.first || values[at] != values[at - 1];
      if (!opens) continue;
      Group child;
      child.parent = parent;
      child.nodes = {at, nodes.last};
      child.value = values[at];
      child.level = groups_[parent].level + 1;
      if (groups_.size() > first) groups_[GroupId(groups_.size() - 1)].nodes.last = at;
      groups_.push_back(child);
    }
    groups_[parent].children = {first, static_cast<uint32_t>(groups_.size())};
  }
  levels_.push_back({above.last, static_cast<uint32_t>(groups_.size())});
}

void GroupTree::check_invariants() const {
  auto check = [](bool holds) { require(holds, "groups are a tree over the nodes"); };
  for (uint32_t id = 0; id < groups_.size(); ++id) {
    const Group& group = groups_[GroupId(id)];
    check(id == 0 ? !group.parent.valid() : group.parent.value < id);
    uint32_t at = group.nodes.first;
    for (uint32_t child = group.children.first; child < group.children.last; ++child) {
      check(groups_[GroupId(child)].parent == GroupId(id));
      check(groups_[GroupId(child)].nodes.first == at);
      at = groups_[GroupId(child)].nodes.last;
    }
    check(group.children.size() == 0 || at == group.nodes.last);
  }
  for (uint32_t i = 0; i < node_order_.size(); ++i) check(position_[node_order_[i]] == i);
}

}  // namespace trellis
