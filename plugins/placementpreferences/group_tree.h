// The tree of groups into which a list of labels divides the nodes.
//
// Words: level 0 is that of the first label; the root, group 0, is all nodes. A group is one path
// of values; a value below two parents is two groups. Nodes that lack a label, or whose label is
// empty, are a group like any other (value kNone), the last of its siblings: unlike in a topology,
// a node without the first label may have the second. Layout: ids are assigned level by level from
// the root, inside a level by path. So a parent comes before its children; the groups of a level
// and the children of a group are contiguous, and so are the nodes of any group in node_order(); in
// a last group nodes are ordered by name. Cost: build O(nodes x labels + strings), once per list of
// labels and set of nodes; look-ups O(1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/string_table.h"

namespace trellis {

using GroupId = StrongId<struct PreferenceGroupTag>;  // within one tree

// `last` is one past the end.
struct GroupRange {
  uint32_t first = 0;
  uint32_t last = 0;
  uint32_t size() const { return last - first; }
};

class GroupTree {
 public:
  static constexpr GroupId kRoot{0U};

  // REQUIRES: `by_name` is in order of name.
  GroupTree(std::span<const StrId> labels, std::span<const NodeId> by_name,
            const IndexedVector<NodeId, Node>& records, const StringTable& strings);

  int level_count() const { return static_cast<int>(levels_.size()) - 1; }
  size_t group_count() const { return groups_.size(); }
  GroupRange level(int level) const { return levels_[static_cast<size_t>(level + 1)]; }
  // The groups that are divided no further; the root when there are no labels.
  GroupRange last_groups() const { return levels_.back(); }

  GroupId parent(GroupId group) const { return groups_[group].parent; }  // kNone for the root
  GroupRange children(GroupId group) const { return groups_[group].children; }
  StrId value(GroupId group) const { return groups_[group].value; }
  int level_of(GroupId group) const { return groups_[group].level; }

  std::span<const NodeId> node_order() const { return node_order_; }
  GroupRange nodes(GroupId group) const { return groups_[group].nodes; }  // in node_order()
  uint32_t position(NodeId node) const { return position_[node]; }        // in node_order()
  bool contains(NodeId node) const {
    return position_.contains(node) && position_[node] != UINT32_MAX;
  }
  GroupId last_group(uint32_t position) const { return last_group_[position]; }

  void check_invariants() const;

 private:
  struct Group {
    GroupId parent;
    GroupRange children;
    GroupRange nodes;
    StrId value;
    int level = -1;
  };

  void divide(std::span<const StrId> values);

  IndexedVector<GroupId, Group> groups_;
  std::vector<GroupRange> levels_;  // the root's first
  std::vector<NodeId> node_order_;
  IndexedVector<NodeId, uint32_t> position_;
  std::vector<GroupId> last_group_;  // by position
};

}  // namespace trellis
