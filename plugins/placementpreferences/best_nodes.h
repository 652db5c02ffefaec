// The best node of each last group, kept up to date while nodes change: for each group a tree in
// which each vertex holds the lesser of the two keys below it.
//
// A node's next pod is judged by the node's key: the least key goes first, of equal keys the first
// position. Key needs operator<, == and a static none(), greater than any other: the node is full.
// Cost: build O(nodes of the group), when the group is first read; then O(log nodes).
#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <cstdint>
#include <vector>

#include "plugins/placementpreferences/group_tree.h"

namespace trellis {

// Keys that order the nodes of a last group for the next pod. Lesser keys go first. Nodes where
// pods of the service recently failed too often come after all others, those with fewer failures
// first.

// Fewest pods of the service, then fewest pods.
struct CountKey {
  uint64_t packed = UINT64_MAX;

  // REQUIRES: failures below 255, counts below 2^28.
  static CountKey of(int32_t failures, int32_t of_service, int32_t pods) {
    return {static_cast<uint64_t>(failures) << 56 | static_cast<uint64_t>(of_service) << 28 |
            static_cast<uint64_t>(pods)};
  }
  static CountKey none() { return {}; }
  auto operator<=>(const CountKey&) const = default;
};

// Least part / whole of a resource, exactly.
struct UseKey {
  int32_t failures = INT32_MAX;
  int64_t part = 0;
  int64_t whole = 1;

  static UseKey none() { return {}; }
  std::strong_ordering operator<=>(const UseKey& other) const {
    if (failures != other.failures) return failures <=> other.failures;
    return static_cast<Wide>(part) * other.whole <=> static_cast<Wide>(other.part) * whole;
  }
  bool operator==(const UseKey& other) const { return std::is_eq(*this <=> other); }

 private:
  __extension__ using Wide = __int128;
};

template <class Key>
class BestNodes {
 public:
  // Forgets all keys.
  void restart(const GroupTree& tree) {
    tree_ = &tree;
    GroupRange groups = tree.last_groups();
    first_of_.assign(groups.size() + 1, 0);
    for (uint32_t i = 0; i < groups.size(); ++i) {
      uint32_t leaves = std::bit_ceil(tree.nodes(GroupId(groups.first + i)).size());
      first_of_[i + 1] = first_of_[i] + 2 * leaves;
    }
    keys_.resize(first_of_.back());
    built_.assign(groups.size(), false);
  }

  bool built(GroupId group) const { return built_[index(group)]; }

  // key_at(position) returns a node's key.
  template <class KeyAt>
  void build(GroupId group, const KeyAt& key_at) {
    Key* keys = keys_.data() + first_of_[index(group)];
    uint32_t leaves = leaf_count(group);
    GroupRange nodes = tree_->nodes(group);
    for (uint32_t i = 0; i < nodes.size(); ++i) keys[leaves + i] = key_at(nodes.first + i);
    std::fill(keys + leaves + nodes.size(), keys + 2 * leaves, Key::none());
    for (uint32_t i = leaves - 1; i > 0; --i) keys[i] = std::min(keys[2 * i], keys[2 * i + 1]);
    built_[index(group)] = true;
  }

  // The position of the best node; UINT32_MAX when all are full. REQUIRES: built.
  uint32_t best(GroupId group) const {
    const Key* keys = keys_.data() + first_of_[index(group)];
    uint32_t leaves = leaf_count(group);
    if (keys[1] == Key::none()) return UINT32_MAX;
    uint32_t at = 1;
    while (at < leaves) at = keys[2 * at] == keys[at] ? 2 * at : 2 * at + 1;
    return tree_->nodes(group).first + at - leaves;
  }

  // REQUIRES: built.
  void set(GroupId group, uint32_t position, const Key& key) {
    Key* keys = keys_.data() + first_of_[index(group)];
    uint32_t at = leaf_count(group) + position - tree_->nodes(group).first;
    keys[at] = key;
    for (at /= 2; at > 0; at /= 2) {
      const Key& least = std::min(keys[2 * at], keys[2 * at + 1]);
      if (least == keys[at]) break;
      keys[at] = least;
    }
  }

 private:
  uint32_t index(GroupId group) const { return group.value - tree_->last_groups().first; }
  uint32_t leaf_count(GroupId group) const {
    uint32_t i = index(group);
    return (first_of_[i + 1] - first_of_[i]) / 2;
  }

  const GroupTree* tree_ = nullptr;
  std::vector<uint32_t> first_of_;  // by last group; its first vertex is unused
  std::vector<Key> keys_;
  std::vector<bool> built_;
};

}  // namespace trellis
