// The tree of one topology over the nodes, as arrays.
//
// Words: level 0 is the coarsest; the root is above all levels (level -1). A domain is one path of
// label values; the same value under two parents is two domains. A node belongs to the deepest
// domain whose labels it has, walking from level 0 and stopping at the first label it lacks; a node
// with fewer labels than levels is *incomplete*.
// Layout: ids go level by level from the deepest to the root, inside a level by path. So
//   1. a parent comes after its children: an aggregate is one forward pass;
//   2. the domains of a level, and the children of a domain, are contiguous ranges of ids;
//   3. the nodes of any domain are a contiguous range of node_order(), children first, in order of
//      path and name; then the nodes that hang on the domain itself.
// Cost: build O(N log N) string comparisons; all look-ups O(1); distance O(depth).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node.h"
#include "framework/string_table.h"
#include "framework/topology.h"

namespace trellis {

struct IdRange {
  uint32_t first = 0;
  uint32_t last = 0;  // one past the end
  uint32_t size() const { return last - first; }
};

class TopologyTree {
 public:
  TopologyTree() = default;
  // `nodes` are the live nodes; vacant entries of `records` are not in the tree.
  TopologyTree(const Topology& topology, std::span<const NodeId> nodes,
               const IndexedVector<NodeId, Node>& records, const StringTable& strings);

  int level_count() const { return static_cast<int>(levels_.size()); }
  size_t domain_count() const { return parent_.size(); }
  DomainId root() const { return DomainId(parent_.size() - 1); }
  // Ids of the domains of a level; level -1: the root.
  IdRange level(int level) const;

  int level_of(DomainId domain) const { return level_of_[domain]; }
  DomainId parent(DomainId domain) const { return parent_[domain]; }  // kNone for the root
  IdRange children(DomainId domain) const { return children_[domain]; }
  StrId value(DomainId domain) const { return value_[domain]; }
  std::vector<StrId> path(DomainId domain) const;       // coarsest first; empty for the root
  DomainId ancestor(DomainId domain, int level) const;  // kNone when it is above that level
  // The domains of `level` at or below `domain`.
  IdRange descendants(DomainId domain, int level) const;

  std::span<const NodeId> node_order() const { return node_order_; }
  IdRange node_range(DomainId domain) const { return node_range_[domain]; }
  std::span<const NodeId> nodes(DomainId domain) const;
  // The nodes that hang on the domain itself: incomplete ones, or all of a deepest domain.
  std::span<const NodeId> own_nodes(DomainId domain) const;
  bool contains(NodeId node) const;
  DomainId domain_of(NodeId node) const { return domain_of_[node]; }  // deepest
  uint32_t position(NodeId node) const { return position_[node]; }    // in node_order()
  bool incomplete(NodeId node) const { return level_of(domain_of(node)) + 1 < level_count(); }
  // Every domain of the deepest level holds one node, as under kubernetes.io/hostname.
  bool deepest_is_node() const { return deepest_is_node_; }
  // Some node is incomplete.
  bool ragged() const { return ragged_; }

  // Number of tree edges between two domains.
  int distance(DomainId a, DomainId b) const;

  // A node is one edge below its domain; where the deepest level is the node, it *is* its domain.
  int distance(NodeId node, DomainId domain) const;
  int distance(NodeId a, NodeId b) const;

  // Whether a node's domain would change if its labels became those of `record`.
  bool moves(NodeId node, const Node& record) const;

  void check_invariants() const;

 private:
  struct Sorted;
  void add_levels(const std::vector<Sorted>& sorted);

  std::vector<StrId> levels_;         // labels
  std::vector<IdRange> level_range_;  // by level
  IndexedVector<DomainId, DomainId> parent_;
  IndexedVector<DomainId, IdRange> children_;
  IndexedVector<DomainId, IdRange> node_range_;
  IndexedVector<DomainId, int> level_of_;
  IndexedVector<DomainId, StrId> value_;
  std::vector<NodeId> node_order_;
  IndexedVector<NodeId, uint32_t> position_;
  IndexedVector<NodeId, DomainId> domain_of_;
  bool deepest_is_node_ = false;
  bool ragged_ = false;
};

// The domains that running pods bind other pods to.

// The domains of a level that contain the nodes: sorted, each once. A node that lacks the level's
// label is in none of them: pods that all run on such nodes leave no domain for the others. The
// others are free only where no pod runs.
std::vector<DomainId> home_domains(const TopologyTree& tree, std::span<const NodeId> nodes,
                                   int level);

// Whether `inner` is `outer` or is below it.
bool covers(const TopologyTree& tree, DomainId outer, DomainId inner);

}  // namespace trellis
