// The quotas of ClusterQueues and Cohorts, as a tree with one column for each cell.
//
// Words: a *node* is a ClusterQueue or a Cohort; a *cell* is one flavor's amount of one resource. A
// node's *subtree quota* is its nominal quota plus what its children lend; its *local quota* is
// what it does not lend. The usage of a ClusterQueue is what its workloads hold; of a Cohort, what
// its children use above their local quota (Kueue's resource_node.go). Usage is not in the tree:
// the session keeps rows of it, and framework/quota_arithmetic.h reads them.
// Guarantees: a ClusterQueue below a cycle of Cohorts is not in the tree; a Cohort that other
// objects name but that has no object is. Parents come before their children; roots and children
// are in order of their names, Cohorts first. Cost: building O(nodes x cells); every look-up O(1),
// cell() O(log cells).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/resources.h"
#include "framework/string_table.h"

namespace trellis {

class QuotaTree {
 public:
  static constexpr int64_t kUnlimited = kMaxSum;

  // A run of siblings.
  struct Nodes {
    uint32_t first = 0;
    uint32_t count = 0;
    QuotaNodeId operator[](uint32_t i) const { return QuotaNodeId(first + i); }
    bool operator==(const Nodes&) const = default;
  };

  QuotaTree() = default;
  QuotaTree(const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
            const IndexedVector<CohortId, Cohort>& cohorts, const StringTable& strings);

  size_t node_count() const { return nodes_.size(); }
  size_t cell_count() const { return cells_.size(); }
  // kNone: the ClusterQueue is vacant or below a cycle.
  QuotaNodeId node(ClusterQueueId queue) const {
    return node_of_queue_.contains(queue) ? node_of_queue_[queue] : QuotaNodeId();
  }
  QuotaNodeId parent(QuotaNodeId node) const { return nodes_[node].parent; }   // kNone: a root
  ClusterQueueId queue(QuotaNodeId node) const { return nodes_[node].queue; }  // kNone: a Cohort
  CohortId cohort(QuotaNodeId node) const { return nodes_[node].cohort; }      // kNone: only named
  Nodes children(QuotaNodeId node) const { return nodes_[node].children; }
  Nodes roots() const { return {0, root_count_}; }
  // The number of edges down to the deepest node below; 0: a ClusterQueue.
  int height(QuotaNodeId node) const { return nodes_[node].height; }
  double weight(QuotaNodeId node) const { return nodes_[node].weight; }

  // kNone: no node has quota of it.
  QuotaCellId cell(StrId flavor, ResourceId resource) const;
  StrId flavor(QuotaCellId cell) const { return cells_[cell].flavor; }
  ResourceId resource(QuotaCellId cell) const { return cells_[cell].resource; }

  int64_t nominal(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).nominal; }
  int64_t subtree_quota(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).subtree; }
  int64_t local_quota(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).local; }
  // kUnlimited: no limit is given.
  int64_t borrowing_limit(QuotaNodeId node, QuotaCellId cell) const {
    return at(node, cell).borrowing_limit;
  }
  // The amount that the node could have if no workload used anything.
  int64_t potential(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).potential; }
  // potential() of all flavors of the cell's resource together.
  int64_t potential_of_resource(QuotaNodeId node, QuotaCellId cell) const {
    return resource_potential_[node.value * resource_count_ + cells_[cell].column];
  }

  // The index of a cell of a node in a row of usages, which has node_count() x cell_count()
  // entries.
  size_t index(QuotaNodeId node, QuotaCellId cell) const {
    return size_t{node.value} * cells_.size() + cell.value;
  }

 private:
  struct Node {
    QuotaNodeId parent;
    ClusterQueueId queue;
    CohortId cohort;
    Nodes children;
    int height = 0;
    double weight = 1.0;
  };
  // In order of the resource, then of the flavor's name: the cells of a resource are adjacent.
  struct Cell {
    ResourceId resource;
    StrId flavor;
    uint32_t column = 0;  // of its resource, in resource_potential_
  };
  struct Quota {
    int64_t nominal = 0;
    int64_t borrowing_limit = kUnlimited;
    int64_t lending_limit = kUnlimited;
    int64_t subtree = 0;
    int64_t local = 0;
    int64_t potential = 0;
  };
  struct Shape;

  const Quota& at(QuotaNodeId node, QuotaCellId cell) const { return quotas_[index(node, cell)]; }
  void add_nodes(const Shape& shape, const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
                 const IndexedVector<CohortId, Cohort>& cohorts);
  void add_cells(const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
                 const IndexedVector<CohortId, Cohort>& cohorts, const StringTable& strings);
  void read_quotas(QuotaNodeId node, const std::vector<ResourceGroup>& groups);
  void sum_up();
  void sum_potentials();

  IndexedVector<QuotaNodeId, Node> nodes_;
  IndexedVector<QuotaCellId, Cell> cells_;
  IndexedVector<ClusterQueueId, QuotaNodeId> node_of_queue_;
  std::vector<Quota> quotas_;                // by index()
  std::vector<int64_t> resource_potential_;  // node_count() x resource_count_
  std::vector<QuotaCellId> by_flavor_;       // cells by (flavor id, resource id), to look them up
  uint32_t root_count_ = 0;
  uint32_t resource_count_ = 0;
};

}  // namespace trellis
