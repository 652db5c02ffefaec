// The pods that a service has in each group of nodes, and the division of more of its pods among
// them.
//
// Words: *room* of a node: how many more of these pods it takes; of a group: the sum. *Running*:
// the pods of the service that count, on whatever nodes, also on nodes that take no more. A node is
// *open* when what the pods require of it holds; a group without open nodes does not bind a hard
// preference. Level by level each group's pods are divided among the groups below it
// (sibling_division.h); in a last group they go one by one to the node that is best at that moment
// (best_nodes.h).
// Guarantees: divides min(pods, most()) pods; the result does not depend on earlier queries.
// Cost: load O(nodes); a node that changes O(levels + log nodes); divide O(groups + pods x log
// nodes of a last group), the first division in a group O(its nodes) more.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/placed_pods.h"
#include "framework/placement_preference.h"
#include "plugins/placementpreferences/best_nodes.h"
#include "plugins/placementpreferences/group_tree.h"
#include "plugins/placementpreferences/sibling_division.h"

namespace trellis {

// How many pods of each service are on each node, updated placement by placement.
class ServicePods {
 public:
  using ByNode = PlacedPods::ByNode;  // summed up, in no order

  void add(StrId service, NodeId node, Presence presence, int64_t change) {
    ByNode& nodes = services_[service.value];
    PodCount& count = nodes[node.value];
    count.add(presence, change);
    if (count.empty()) nodes.erase(node.value);
  }
  const ByNode& of(StrId service) const {
    static const ByNode kNowhere;
    auto found = services_.find(service.value);
    return found == services_.end() ? kNowhere : found->second;
  }
  PodCount at(StrId service, NodeId node) const {
    const ByNode& nodes = of(service);
    auto found = nodes.find(node.value);
    return found == nodes.end() ? PodCount() : found->second;
  }

  // The pods that a preference counts: those that stay, and promised ones.
  static int32_t running(const PodCount& count) {
    return static_cast<int32_t>(count.stays + count.promised);
  }

 private:
  absl::flat_hash_map<uint32_t, ByNode> services_;  // by name; never iterated
};

// The room of a node for a service, and the pods on it.
struct ServiceNode {
  int32_t room = 0;
  int32_t running = 0;  // pods of the service
  int32_t pods = 0;     // all pods
  // Promised pods count as running, but may not be among `pods` yet: hence the bound 0.
  int32_t others() const { return std::max(0, pods - running); }
  bool operator==(const ServiceNode&) const = default;
};

// Columns by node; an empty span is all zero.
struct ServiceColumns {
  std::span<const int32_t> room;
  std::span<const int32_t> running;
  std::span<const int32_t> pods;
  std::span<const int32_t> failures;  // only failures that put the node last
  std::span<const int64_t> used;      // of the resource that a preference names
  std::span<const int64_t> capacity;
  std::span<const uint8_t> closed;  // not open
};

class ServiceGroups {
 public:
  // The labels that make the tree's levels: those up to the first preference that is not over a
  // label.
  static std::vector<StrId> labels(std::span<const PlacementPreference> preferences);

  // `request`: what one pod requests of the resource that a preference names. REQUIRES: the tree
  // was made of labels(preferences), and outlives this.
  ServiceGroups(const GroupTree& tree, std::span<const PlacementPreference> preferences,
                int64_t request);

  void load(const ServiceColumns& columns);
  // Updates a changed node. REQUIRES: loaded; not in a division.
  void change(NodeId node, const ServiceNode& now, int64_t used = 0);

  int64_t running(GroupId group) const { return running_[group]; }
  int64_t room(GroupId group) const { return room_[group]; }
  // How many more pods the groups take at most, hard preferences considered.
  int64_t most();

  // Replaces the result of the division before.
  void divide(int64_t pods);
  std::span<const NodePods> parts() const { return parts_; }  // in the order of groups
  int64_t given(GroupId group) const { return given_[group]; }
  // The nodes of that division, one for each pod. Every beginning of the sequence is as even as a
  // list with packs or weights allows: the next pod goes to the group, and there to the node, that
  // is furthest behind.
  std::vector<NodeId> sequence() const;
  // New pods of each group, by id, if every group had room for any number.
  std::vector<int64_t> wanted(int64_t pods);

  void check_invariants() const;

 private:
  enum class NodeRule : uint8_t { SpreadCount, SpreadUse, PackCount, PackUse };

  void sum_up();
  void find_open(std::span<const uint8_t> closed);
  void limit_groups();
  void divide_group(GroupId group, const IndexedVector<GroupId, int64_t>& room,
                    IndexedVector<GroupId, int64_t>& given);
  template <class Key>
  std::vector<NodeId> spread_sequence() const;
  std::vector<NodeId> node_sequence() const;
  std::vector<NodeId> merged(GroupId group, std::vector<std::vector<NodeId>>& below) const;
  void fill_group(GroupId group);
  template <class Key>
  void fill_by_key(GroupId group, BestNodes<Key>& best);
  void pack_nodes(GroupId group);
  void read_key(uint32_t position, int32_t given, CountKey& key) const {
    const ServiceNode& node = nodes_[position];
    if (node.room <= given) return;
    int32_t failures = failures_.empty() ? 0 : std::min(failures_[position], 254);
    key = CountKey::of(failures, node.running + given, node.pods + given);
  }
  void read_key(uint32_t position, int32_t given, UseKey& key) const;
  template <class Key>
  Key key(uint32_t position, int32_t given) const {
    Key made;
    read_key(position, given, made);
    return made;
  }
  bool counts_pods() const { return rule_ == NodeRule::SpreadCount; }
  int32_t weight_of(const PlacementPreference& preference, GroupId group) const;

  const GroupTree& tree_;
  std::vector<PlacementPreference> levels_;  // by level of the tree
  NodeRule rule_ = NodeRule::SpreadCount;
  int64_t request_ = 0;
  bool hard_ = false;
  IndexedVector<GroupId, int32_t> weights_;  // empty: all 1

  // By position in the tree.
  std::vector<ServiceNode> nodes_;
  std::vector<int32_t> failures_;  // empty: none
  std::vector<int64_t> used_;      // empty unless portions of a resource count
  std::vector<int64_t> capacity_;

  IndexedVector<GroupId, uint8_t> open_;  // with hard preferences
  IndexedVector<GroupId, int64_t> running_;
  IndexedVector<GroupId, int64_t> others_;  // pods that are not of the service
  IndexedVector<GroupId, int64_t> room_;
  IndexedVector<GroupId, int64_t> limit_;  // with hard preferences: what the group takes at most
  BestNodes<CountKey> by_count_;
  BestNodes<UseKey> by_use_;

  IndexedVector<GroupId, int64_t> given_;
  std::vector<NodePods> parts_;
  SiblingDivision division_;
  // Scratch memory of a division.
  std::vector<Sibling> siblings_;
  std::vector<int64_t> sibling_pods_;
  std::vector<int32_t> taken_;     // by position; all 0 between divisions
  std::vector<uint32_t> touched_;  // positions
};

}  // namespace trellis
