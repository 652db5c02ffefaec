#include "framework/quota_tree.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>

namespace trellis {

// The children of each Cohort, by name; what is below a cycle is reached from no root.
struct QuotaTree::Shape {
  struct Branch {
    CohortId cohort;  // kNone: only named
    std::vector<std::string_view> cohorts;
    std::vector<ClusterQueueId> queues;
  };
  std::map<std::string_view, Branch> branches;
  Branch top;  // the roots

  Shape(const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
        const IndexedVector<CohortId, Cohort>& cohorts, const StringTable& strings) {
    for (uint32_t i = 0; i < cohorts.size(); ++i) {
      const Cohort& cohort = cohorts[CohortId(i)];
      if (cohort.name.empty()) continue;
      branches[cohort.name].cohort = CohortId(i);
      if (cohort.parent.valid()) branches[strings.view(*cohort.parent)];
    }
    std::map<std::string_view, ClusterQueueId> queues_by_name;
    for (uint32_t i = 0; i < queues.size(); ++i) {
      const ClusterQueue& queue = queues[ClusterQueueId(i)];
      if (queue.name.empty()) continue;
      queues_by_name.emplace(queue.name, ClusterQueueId(i));
      if (queue.cohort.valid()) branches[strings.view(*queue.cohort)];
    }
    for (const auto& [name, branch] : branches) {
      Maybe<StrId> parent;
      if (branch.cohort.valid()) parent = cohorts[branch.cohort].parent;
      Branch& above = parent ? branches.at(strings.view(*parent)) : top;
      above.cohorts.push_back(name);
    }
    for (const auto& [name, queue] : queues_by_name) {
      Maybe<StrId> cohort = queues[queue].cohort;
      Branch& above = cohort ? branches.at(strings.view(*cohort)) : top;
      above.queues.push_back(queue);
    }
  }
};

QuotaTree::QuotaTree(const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
                     const IndexedVector<CohortId, Cohort>& cohorts, const StringTable& strings) {
  add_nodes(Shape(queues, cohorts, strings), queues, cohorts);
  add_cells(queues, cohorts, strings);
  quotas_.resize(nodes_.size() * cells_.size());
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[QuotaNodeId(i)];
    if (node.queue.valid()) read_quotas(QuotaNodeId(i), queues[node.queue].groups);
    if (node.cohort.valid()) read_quotas(QuotaNodeId(i), cohorts[node.cohort].groups);
  }
  sum_up();
  sum_potentials();
}

void QuotaTree::add_nodes(const Shape& shape,
                          const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
                          const IndexedVector<CohortId, Cohort>& cohorts) {
  node_of_queue_.assign(queues.size(), QuotaNodeId());
  std::vector<const Shape::Branch*> branch_of;  // nullptr: a ClusterQueue
  auto add_below = [&](const Shape::Branch& branch, QuotaNodeId parent) {
    uint32_t first = nodes_.next_id().value;
    for (std::string_view name : branch.cohorts) {
      const Shape::Branch& below = shape.branches.at(name);
      double weight = below.cohort.valid() ? cohorts[below.cohort].weight : 1.0;
      nodes_.push_back({parent, ClusterQueueId(), below.cohort, {}, 0, weight});
      branch_of.push_back(&below);
    }
    for (ClusterQueueId queue : branch.queues) {
      node_of_queue_[queue] =
          nodes_.push_back({parent, queue, CohortId(), {}, 0, queues[queue].weight});
      branch_of.push_back(nullptr);
    }
    return Nodes{first, nodes_.next_id().value - first};
  };
  root_count_ = add_below(shape.top, QuotaNodeId()).count;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    if (branch_of[i] == nullptr) continue;
    Nodes children = add_below(*branch_of[i], QuotaNodeId(i));
    nodes_[QuotaNodeId(i)].children = children;
  }
  for (size_t i = nodes_.size(); i-- > 0;) {
    const Node& node = nodes_[QuotaNodeId(i)];
    if (!node.parent.valid()) continue;
    int& above = nodes_[node.parent].height;
    above = std::max(above, node.height + 1);
  }
}

void QuotaTree::add_cells(const IndexedVector<ClusterQueueId, ClusterQueue>& queues,
                          const IndexedVector<CohortId, Cohort>& cohorts,
                          const StringTable& strings) {
  std::map<std::pair<ResourceId, std::string_view>, StrId> found;
  auto look_at = [&](const std::vector<ResourceGroup>& groups) {
    for (const ResourceGroup& group : groups) {
      for (const FlavorQuota& flavor : group.flavors) {
        for (const ResourceQuota& quota : flavor.resources) {
          found.emplace(std::pair(quota.resource, strings.view(flavor.flavor)), flavor.flavor);
        }
      }
    }
  };
  for (const Node& node : nodes_) {
    if (node.queue.valid()) look_at(queues[node.queue].groups);
    if (node.cohort.valid()) look_at(cohorts[node.cohort].groups);
  }
  for (const auto& [key, flavor] : found) {
    if (cells_.empty() || cells_[QuotaCellId(cells_.size() - 1)].resource != key.first) {
      ++resource_count_;
    }
    by_flavor_.push_back(cells_.push_back({key.first, flavor, resource_count_ - 1}));
  }
  std::sort(by_flavor_.begin(), by_flavor_.end(), [&](QuotaCellId a, QuotaCellId b) {
    return std::tie(cells_[a].flavor, cells_[a].resource) <
           std::tie(cells_[b].flavor, cells_[b].resource);
  });
}

void QuotaTree::read_quotas(QuotaNodeId node, const std::vector<ResourceGroup>& groups) {
  for (const ResourceGroup& group : groups) {
    for (const FlavorQuota& flavor : group.flavors) {
      for (const ResourceQuota& given : flavor.resources) {
        Quota& quota = quotas_[index(node, cell(flavor.flavor, given.resource))];
        quota.nominal = given.nominal;
        quota.borrowing_limit = given.borrowing_limit.value_or(kUnlimited);
        quota.lending_limit = given.lending_limit.value_or(kUnlimited);
      }
    }
  }
}

void QuotaTree::sum_up() {
  for (size_t i = nodes_.size(); i-- > 0;) {
    QuotaNodeId parent = nodes_[QuotaNodeId(i)].parent;
    for (uint32_t c = 0; c < cells_.size(); ++c) {
      Quota& quota = quotas_[index(QuotaNodeId(i), QuotaCellId(c))];
      quota.subtree = add_to_sum(quota.subtree, quota.nominal);  // on top of what children lend
      quota.local = std::max<int64_t>(0, quota.subtree - quota.lending_limit);
      if (parent.valid()) {
        int64_t& above = quotas_[index(parent, QuotaCellId(c))].subtree;
        above = add_to_sum(above, quota.subtree - quota.local);
      }
    }
  }
}

void QuotaTree::sum_potentials() {
  resource_potential_.assign(nodes_.size() * resource_count_, 0);
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    QuotaNodeId parent = nodes_[QuotaNodeId(i)].parent;
    for (uint32_t c = 0; c < cells_.size(); ++c) {
      Quota& quota = quotas_[index(QuotaNodeId(i), QuotaCellId(c))];
      quota.potential = quota.subtree;
      if (parent.valid()) {
        int64_t above = quotas_[index(parent, QuotaCellId(c))].potential;
        quota.potential = std::min(add_to_sum(quota.local, above),
                                   add_to_sum(quota.subtree, quota.borrowing_limit));
      }
      int64_t& of_resource =
          resource_potential_[i * resource_count_ + cells_[QuotaCellId(c)].column];
      of_resource = add_to_sum(of_resource, quota.potential);
    }
  }
}

QuotaCellId QuotaTree::cell(StrId flavor, ResourceId resource) const {
  auto wanted = std::tie(flavor, resource);
  auto found = std::lower_bound(by_flavor_.begin(), by_flavor_.end(), wanted,
                                [&](QuotaCellId cell, const auto& key) {
                                  return std::tie(cells_[cell].flavor, cells_[cell].resource) < key;
                                });
  if (found == by_flavor_.end() || cells_[*found].flavor != flavor ||
      cells_[*found].resource != resource) {
    return QuotaCellId();
  }
  return *found;
}

}  // namespace trellis
