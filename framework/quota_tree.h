// Quotas of ClusterQueues and Cohorts, as a tree with one column a cell.
//
// Words: a *node* is a ClusterQueue or a Cohort; a *cell* is one flavor's amount of one resource.
// A node's *subtree quota* is its nominal quota and what its children lend; its *local quota* is
// what it does not lend. Usage of a ClusterQueue is what its workloads hold; of a Cohort, what its
// children use above their local quota (Kueue's resource_node.go). Usage is not in the tree: rows
// of it are kept by the session and read by framework/quota_arithmetic.h.
// Guarantees: a ClusterQueue below a cycle of Cohorts is not in the tree; a Cohort that is only
// named is. Parents come before their children; roots and children are in order of their names,
// Cohorts first. Cost: building O(nodes x cells); every question O(1), cell() O(log cells).
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
  // The way down to the deepest Cohort or ClusterQueue of Cohorts; 0: a ClusterQueue.
  int height(QuotaNodeId node) const { return nodes_[node].height; }
  double weight(QuotaNodeId node) const { return nodes_[node].weight; }

  // kNone: no node has quota of it.
  QuotaCellId cell(StrId flavor, ResourceId resource) const;
  StrId flavor(QuotaCellId cell) const { return cells_[cell].flavor; }
  ResourceId resource(QuotaCellId cell) const { return cells_[cell].resource; }

  int64_t nominal(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).nominal; }
  int64_t subtree_quota(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).subtree; }
  int64_t local_quota(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).local; }
  // kUnlimited: none was given.
  int64_t borrowing_limit(QuotaNodeId node, QuotaCellId cell) const {
    return at(node, cell).borrowing_limit;
  }
  // What it could have if no workload used anything.
  int64_t potential(QuotaNodeId node, QuotaCellId cell) const { return at(node, cell).potential; }
  // potential() of all flavors of the cell's resource together.
  int64_t potential_of_resource(QuotaNodeId node, QuotaCellId cell) const {
    return resource_potential_[node.value * resource_count_ + cells_[cell].column];
  }

  // Where it stands in a row of usages: node_count() x cell_count() of them.
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
  // In order of the resource, then of the flavor's name: cells of a resource stand together.
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
