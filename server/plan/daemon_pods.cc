#include "server/plan/daemon_pods.h"

#include <algorithm>

namespace trellis {

void leave_room_for_daemons(Session& session, std::span<const NodeId> probes, NodeMarket& market) {
  const Cluster& cluster = session.cluster();
  const WorkloadRecords& records = cluster.workloads();
  for (uint32_t i = 0; i < records.daemon_sets().size(); ++i) {
    DaemonSetId id(i);
    if (!records.daemon_sets().alive(id)) continue;
    PodClassId pod_class = records.daemon_class(id);
    const ResourceList& requests = cluster.pod_classes()[pod_class].requests;
    for (size_t offer = 0; offer < probes.size(); ++offer) {
      if (session.fits().node_fit(probes[offer], pod_class, FitMode::Now) == 0) continue;
      ResourceList& left = market.offers[offer].allocatable;
      for (const ResourceAmount& taken : requests.items()) {
        int64_t amount = left.get(taken.resource) - taken.amount;
        left.set(taken.resource, std::max<int64_t>(0, amount));
      }
    }
  }
}

}  // namespace trellis
