// Columns of leaves that Kueue's placement reads beyond the counts of the fit cache: a leader, sums
// over nodes, preferred node affinity. Cost: one pass over the leaves' nodes each.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "session/placement/placement_context.h"
#include "session/placement/workload_unit.h"
#include "topology/domain_counts.h"

namespace trellis {

// Whether the lowest level of the topology is the hostname.
bool ends_in_nodes(const Cluster& cluster, TopologyId topology);

struct BesideQuery {
  PodClassId workers;
  PodClassId leader;
  FitMode mode = FitMode::Now;
};
// How many workers the node takes once the leader is on it.
int32_t fit_beside(PlacementContext& context, NodeId node, const BesideQuery& query);

// The counts of leaves that have several nodes, as Kueue counts them: the free amounts of the
// nodes, summed and divided by the requests. Taints, selectors and fragmentation do not count; the
// flavor's labels do.
DomainCounts summed_counts(PlacementContext& context, const FlavoredPodSet& set, FitMode mode);

class LeafColumns {
 public:
  void load_leader(PlacementContext& context, const WorkloadUnit& unit, FitMode mode);
  void load_affinity(PlacementContext& context, const FlavoredPodSet& set);
  std::span<const uint8_t> leader_fits() const { return leader_fits_; }
  std::span<const int64_t> beside() const { return beside_; }
  std::span<const int64_t> affinity() const { return affinity_; }

 private:
  std::vector<uint8_t> leader_fits_;
  std::vector<int64_t> beside_;
  std::vector<int64_t> affinity_;
};

}  // namespace trellis
