// The request of a workload's PodSets to each flavor of its ClusterQueue.
//
// Words: a *party* is PodSets that take the same flavors: one PodSet, or a group of workers and
// leader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/quota_rules.h"
#include "framework/workload.h"
#include "session/placement/placement_context.h"

namespace trellis {

class WorkloadAsks {
 public:
  using Party = std::vector<size_t>;  // PodSets, by index

  explicit WorkloadAsks(const PlacementContext& context) : context_(context) {}

  // Starts with a workload, with all pods of its PodSets.
  void begin(WorkloadId workload, ClusterQueueId queue);
  void set_counts(std::span<const int32_t> counts) { counts_.assign(counts.begin(), counts.end()); }

  const Workload& workload() const { return context_.cluster().workloads()[workload_]; }
  ClusterQueueId queue() const { return queue_; }
  const std::vector<int32_t>& counts() const { return counts_; }
  const std::vector<Party>& parties() const { return parties_; }
  const std::vector<ResourceGroup>& groups() const {
    return context_.cluster().workloads().cluster_queues()[queue_].groups;
  }

  // The requests of all pods of the party for the group's resources; empty: none.
  ResourceList usage(const Party& party, const ResourceGroup& group) const;
  std::vector<const PodSpec*> specs(const Party& party) const;
  // Why the queue has no quota of something that the PodSet requests; code None: it has quota of
  // all.
  Reason uncovered(size_t pod_set) const;
  // Kueue's message; "": no error. A flavor with a topology must have the levels that are
  // requested, and takes no PodSet that requests none, unless the queue has no other flavors.
  std::string topology_error(const Party& party, const Flavor& flavor) const;
  // A request for a topology needs exactly one flavor that has a topology. "": no error.
  std::string combination_error(const Party& party, std::span<const FlavorOption> flavors) const;

 private:
  void read_parties();

  const PlacementContext& context_;
  WorkloadId workload_;
  ClusterQueueId queue_;
  std::vector<int32_t> counts_;
  std::vector<Party> parties_;
  bool all_have_topologies_ = false;
};

}  // namespace trellis
