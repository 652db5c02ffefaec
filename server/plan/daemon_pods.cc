#include "server/plan/daemon_pods.h"

#include <algorithm>

namespace trellis {

ResourceList requests_of_daemons(Session& session, NodeId node) {
  const Cluster& cluster = session.cluster();
  const WorkloadRecords& records = cluster.workloads();
  ResourceList sum;
  for (uint32_t i = 0; i < records.daemon_sets().size(); ++i) {
    DaemonSetId id(i);
    if (!records.daemon_sets().alive(id)) continue;
    PodClassId pod_class = records.daemon_class(id);
    if (session.fits().node_fit(node, pod_class, FitMode::Now) == 0) continue;
    for (const ResourceAmount& asked : cluster.pod_classes()[pod_class].requests.items()) {
      sum.set(asked.resource, add_to_sum(sum.get(asked.resource), asked.amount));
    }
  }
  return sum;
}

void leave_room_for(const ResourceList& daemons, ResourceList& allocatable) {
  for (const ResourceAmount& taken : daemons.items()) {
    int64_t left = allocatable.get(taken.resource) - taken.amount;
    allocatable.set(taken.resource, std::max<int64_t>(0, left));
  }
}

void leave_room_for_daemons(Session& session, std::span<const NodeId> probes, NodeMarket& market) {
  for (size_t offer = 0; offer < probes.size(); ++offer) {
    leave_room_for(requests_of_daemons(session, probes[offer]), market.offers[offer].allocatable);
  }
}

}  // namespace trellis
