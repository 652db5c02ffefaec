#include "tests/support/preference_world.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace trellis {
namespace {

__extension__ using Wide = __int128;
using Group = std::vector<size_t>;

std::string label_of(const PreferenceWorld& world, size_t node, StrId label) {
  const auto& labels = world.nodes[node].labels;
  auto found = labels.find(std::string(world.strings.view(label)));
  return found == labels.end() ? "" : found->second;
}

std::vector<Group> split(const PreferenceWorld& world, const Group& group, StrId label) {
  std::map<std::string, Group> by_value;
  for (size_t node : group) by_value[label_of(world, node, label)].push_back(node);
  std::vector<Group> children;
  for (auto& [value, nodes] : by_value) children.push_back(nodes);
  return children;
}

Group all_nodes(const PreferenceWorld& world) {
  Group all(world.nodes.size());
  std::iota(all.begin(), all.end(), 0);
  return all;
}

struct Child {
  int64_t running = 0;
  int64_t room = 0;
  int64_t added = 0;
  int64_t weight = 1;
  int64_t total() const { return running + added; }
  int64_t most() const { return running + room; }
};

Child sum_of(const PreferenceWorld& world, const Group& group, const std::vector<int32_t>& added) {
  Child sum;
  for (size_t node : group) {
    sum.running += world.nodes[node].running;
    sum.room += world.nodes[node].room;
    sum.added += added[node];
  }
  return sum;
}

std::string check_even(const std::vector<Child>& children) {
  for (const Child& from : children) {
    for (const Child& to : children) {
      bool better = from.added > 0 && to.added < to.room && from.total() - 1 > to.total();
      if (better) return "a move makes it more even";
    }
  }
  return "";
}

// x as over / under, found by trying who is below, between and above his bounds at each of them.
std::string check_weighted(const std::vector<Child>& children) {
  int64_t total = 0;
  for (const Child& child : children) total += child.total();
  auto target_over = [&](const Child& child, Wide over, Wide under) {
    return std::clamp<Wide>(over * child.weight, child.running * under, child.most() * under);
  };
  auto sum_over = [&](Wide over, Wide under) {
    Wide sum = 0;
    for (const Child& child : children) sum += target_over(child, over, under);
    return sum;
  };
  std::vector<std::pair<int64_t, int64_t>> bounds{{0, 1}};
  for (const Child& child : children) {
    bounds.emplace_back(child.running, child.weight);
    bounds.emplace_back(child.most(), child.weight);
  }
  Wide over = -1;
  Wide under = 1;
  for (auto [from, weight] : bounds) {
    // Those that grow from this bound on.
    Wide fixed = 0;
    Wide growing = 0;
    for (const Child& child : children) {
      bool grows = Wide(child.running) * weight <= Wide(from) * child.weight &&
                   Wide(from) * child.weight < Wide(child.most()) * weight;
      if (grows) growing += child.weight;
      if (!grows) fixed += target_over(child, from, weight) / weight;
    }
    Wide x_over = growing > 0 ? total - fixed : Wide(from);
    Wide x_under = growing > 0 ? growing : Wide(weight);
    if (x_over >= 0 && sum_over(x_over, x_under) == total * x_under) {
      over = x_over;
      under = x_under;
      break;
    }
  }
  if (over < 0) return "no targets found";
  auto fraction = [&](const Child& child) { return target_over(child, over, under) % under; };
  auto floor = [&](const Child& child) { return target_over(child, over, under) / under; };
  for (const Child& child : children) {
    Wide above = child.total() - floor(child);
    if (above != 0 && above != 1) return "not the target rounded down or up";
    for (const Child& low : children) {
      bool passed_over = above == 1 && low.total() == floor(low) && fraction(low) > fraction(child);
      if (passed_over) return "a larger fractional part was passed over";
    }
  }
  return "";
}

using Packed = std::vector<std::array<int64_t, 3>>;

std::string check_packed(const std::vector<Child>& children) {
  int64_t rest = 0;
  Packed found;
  for (const Child& child : children) {
    rest += child.added;
    found.push_back({child.running, child.room, child.added});
  }
  std::vector<Child> left = children;
  for (Child& child : left) child.added = 0;
  while (rest > 0) {
    Child* best = nullptr;
    auto rank = [&](const Child& child) {
      bool holds = child.room >= rest;
      return std::array<int64_t, 3>{-child.running, holds ? 0 : 1,
                                    holds ? child.room : -child.room};
    };
    for (Child& child : left) {
      bool free = child.room > 0 && child.added == 0;
      if (free && (best == nullptr || rank(child) < rank(*best))) best = &child;
    }
    best->added = std::min(rest, best->room);
    rest -= best->added;
  }
  Packed expected;
  for (const Child& child : left) expected.push_back({child.running, child.room, child.added});
  std::ranges::sort(found);
  std::ranges::sort(expected);
  return found == expected ? "" : "not packed by the rule";
}

// A node's key for its k-th new pod, as fractions of one kind.
struct NodeKey {
  int64_t failures = 0;
  Wide over = 0;
  Wide under = 1;
  int64_t pods = 0;
  bool greater(const NodeKey& other) const {
    if (failures != other.failures) return failures > other.failures;
    Wide mine = over * other.under;
    Wide theirs = other.over * under;
    return mine != theirs ? mine > theirs : pods > other.pods;
  }
};

NodeKey key_of(const PreferenceWorld& world, const PreferenceNode& node, int64_t k) {
  const PlacementPreference* last = world.preferences.empty() ? nullptr : &world.preferences.back();
  if (last != nullptr && last->over == PlacementPreference::Over::Resource) {
    Wide used =
        node.used + (last->way == PlacementPreference::Way::Spread ? k : k - 1) * world.request;
    Wide share = last->way == PlacementPreference::Way::Spread ? used : node.capacity - used;
    return {node.failures, share, node.capacity, 0};
  }
  return {node.failures, node.running + k - 1, 1, node.pods + k - 1};
}

std::string check_nodes(const PreferenceWorld& world, const Group& group,
                        const std::vector<int32_t>& added) {
  // A node that is packed is filled before the next, so its first pod is what it was chosen for.
  bool packs = !world.preferences.empty() &&
               world.preferences.back().way == PlacementPreference::Way::Pack &&
               world.preferences.back().over == PlacementPreference::Over::Resource;
  for (size_t i : group) {
    if (added[i] == 0) continue;
    NodeKey last = key_of(world, world.nodes[i], packs ? 1 : added[i]);
    for (size_t j : group) {
      if (added[j] >= world.nodes[j].room || i == j) continue;
      NodeKey next = key_of(world, world.nodes[j], packs ? 1 : added[j] + 1);
      if (last.greater(next)) return world.nodes[j].name + " was passed over";
    }
  }
  return "";
}

std::string check_level(const PreferenceWorld& world, const PlacementPreference& preference,
                        const std::vector<Group>& groups, const std::vector<int32_t>& added) {
  std::vector<Child> children;
  for (const Group& group : groups) {
    Child child = sum_of(world, group, added);
    std::string value = label_of(world, group.front(), preference.label);
    for (const LabelWeight& one : preference.weights) {
      if (world.strings.view(one.value) == value) child.weight = one.weight;
    }
    children.push_back(child);
  }
  if (preference.way == PlacementPreference::Way::Pack) return check_packed(children);
  return preference.weights.empty() ? check_even(children) : check_weighted(children);
}

}  // namespace

std::vector<std::vector<size_t>> groups_at(const PreferenceWorld& world, size_t level) {
  std::vector<Group> groups{all_nodes(world)};
  for (size_t i = 0; i < level; ++i) {
    std::vector<Group> below;
    for (const Group& group : groups) {
      for (Group& child : split(world, group, world.preferences[i].label)) {
        below.push_back(std::move(child));
      }
    }
    groups = std::move(below);
  }
  return groups;
}

std::string broken_rule(const PreferenceWorld& world, const std::vector<int32_t>& added) {
  for (size_t i = 0; i < added.size(); ++i) {
    if (added[i] < 0 || added[i] > world.nodes[i].room) return world.nodes[i].name + " over-full";
  }
  size_t labels = ServiceGroups::labels(world.preferences).size();
  for (size_t level = 0; level < labels; ++level) {
    for (const Group& parent : groups_at(world, level)) {
      const PlacementPreference& preference = world.preferences[level];
      std::string broken =
          check_level(world, preference, split(world, parent, preference.label), added);
      if (!broken.empty()) return "level " + std::to_string(level) + ": " + broken;
    }
  }
  for (const Group& group : groups_at(world, labels)) {
    const PlacementPreference* last =
        labels < world.preferences.size() ? &world.preferences[labels] : nullptr;
    if (last != nullptr && last->over == PlacementPreference::Over::Node &&
        last->way == PlacementPreference::Way::Pack) {
      std::vector<Child> nodes;
      for (size_t node : group) nodes.push_back(sum_of(world, {node}, added));
      std::string broken = check_packed(nodes);
      if (!broken.empty()) return "nodes: " + broken;
      continue;
    }
    std::string broken = check_nodes(world, group, added);
    if (!broken.empty()) return "nodes: " + broken;
  }
  return "";
}

PreferenceEngine::PreferenceEngine(PreferenceWorld& world) : world_(world) {
  std::vector<NodeId> by_name;
  std::vector<int32_t> room, running, pods, failures;
  std::vector<int64_t> used, capacity;
  std::vector<uint8_t> closed;
  for (const PreferenceNode& node : world.nodes) {
    Node record;
    record.name = node.name;
    for (const auto& [key, value] : node.labels) {
      record.labels.push_back({world.strings.intern(key), world.strings.intern(value)});
    }
    std::ranges::sort(record.labels);
    by_name.push_back(records_.push_back(record));
    room.push_back(node.room);
    running.push_back(node.running);
    pods.push_back(node.pods);
    failures.push_back(node.failures);
    used.push_back(node.used);
    capacity.push_back(node.capacity);
    closed.push_back(node.closed ? 1 : 0);
  }
  tree_ = std::make_unique<GroupTree>(ServiceGroups::labels(world.preferences), by_name, records_,
                                      world.strings);
  tree_->check_invariants();
  groups_ = std::make_unique<ServiceGroups>(*tree_, world.preferences, world.request);
  groups_->load({room, running, pods, failures, used, capacity, closed});
}

std::vector<int32_t> PreferenceEngine::divide(int64_t pods) {
  groups_->divide(pods);
  groups_->check_invariants();
  std::vector<int32_t> added(world_.nodes.size());
  for (const NodePods& part : groups_->parts()) added[part.node.value] += part.pods;
  return added;
}

void PreferenceEngine::node_changed(size_t node) {
  const PreferenceNode& now = world_.nodes[node];
  groups_->change(NodeId(node), {now.room, now.running, now.pods}, now.used);
}

}  // namespace trellis
