// The workloads of a session: the pods in their slots, what they request of flavors, and what
// becomes free when they leave.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/quota_rules.h"
#include "framework/workload.h"
#include "session/cycle/session.h"
#include "session/placement/placement_context.h"

namespace trellis {

// Pods whose places are slots of a workload: no gang's search, and no other gang's need, moves
// them. The slots are kept as long as the workload is admitted, so that a pod that left one would
// come back into it.

// Whether the pod's workload is admitted and its PodSet was assigned domains.
bool belongs_in_slot(const Session& session, PodId pod);

// Whether belongs_in_slot() holds for some pod of the gang. Cost: O(pods of the gang) where there
// are workloads.
bool has_pods_in_slots(const Session& session, GangId gang);

// The request of a workload's PodSets to each flavor of its ClusterQueue.
//
// Words: a *party* is PodSets that take the same flavors: one PodSet, or a group of workers and
// leader.

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

// Evicts the workload in the statement: its quota is free at once, the room of its slots and pods
// in future. Returns the slots that no pod of it stays in.
std::vector<SlotFill> depart(Session& session, WorkloadId workload, Beneficiary by);

}  // namespace trellis
