#include "session/cycle/workload_departure.h"

#include <algorithm>

namespace trellis {

std::vector<SlotFill> depart(Session& session, WorkloadId workload, WorkloadId by) {
  Statement& statement = session.statement();
  const Cluster& cluster = session.cluster();
  const AssignedSlots& slots = session.snapshot().workloads().slots();
  std::vector<SlotFill> left;
  for (NodeId node : slots.nodes(workload)) {
    for (const SlotRow& row : slots.of(node)) {
      if (row.workload != workload) continue;
      int32_t count = std::max(row.count - slot_use(cluster, node, row).future, 0);
      if (count > 0) left.push_back({row.pod_class, node, count});
    }
  }
  std::span<const SlotFill> loose = session.loose_slots(workload);
  left.insert(left.end(), loose.begin(), loose.end());
  for (const SlotFill& fill : left) {
    statement.leave_slots(fill.pod_class, fill.node, fill.count);
  }
  statement.release_quota(workload);
  for (PodId pod : cluster.workloads().pods_of(workload)) {
    PodState state = session.snapshot().pod(pod);
    if (is_active(state.status) && state.node.valid()) statement.evict(pod, GangId(), by);
  }
  return left;
}

}  // namespace trellis
