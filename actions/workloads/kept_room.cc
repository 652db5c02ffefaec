#include "actions/workloads/kept_room.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "session/placement/node_filling.h"

namespace trellis {
namespace {

// Pods of the PodSet that are in the domain already.
int32_t pods_inside(const Session& session, const DomainSlots& slots) {
  const Cluster& cluster = session.cluster();
  const TopologyTree& tree = session.snapshot().trees()[slots.topology];
  StrId name = cluster.workloads()[slots.row.workload].pod_sets[slots.row.pod_set].name;
  int32_t inside = 0;
  for (PodId id : cluster.workloads().pods_of(slots.row.workload)) {
    const PodSlot& slot = cluster.pods()[id];
    bool counts = slot.node.valid() && occupies_node(slot.pod.status) && slot.pod.pod_set == name;
    inside += counts && tree.domain_of(slot.node) == slots.domain ? 1 : 0;
  }
  return inside;
}

// Whether the name is FROM-xxxxx, with the letters that Kubernetes uses in generated names.
bool is_generated(std::string_view name, std::string_view from) {
  constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";
  constexpr size_t kLength = 5;
  return name.size() == from.size() + 1 + kLength && name.starts_with(from) &&
         name[from.size()] == '-' &&
         name.find_first_not_of(kLetters, from.size() + 1) == std::string_view::npos;
}

bool is_of(const StringTable& strings, const Pod& pod, const DaemonSet& set) {
  if (pod.name_space != set.name_space) return false;
  if (pod.daemon_set.valid()) return strings.view(pod.daemon_set) == set.name;
  return is_generated(pod.name, set.name);
}

bool runs_on(const Cluster& cluster, NodeId node, const DaemonSet& set) {
  auto runs = [&](PodId id) {
    return is_of(cluster.vocabulary().strings, cluster.pods()[id].pod, set);
  };
  return std::ranges::any_of(cluster.pods_of(node), runs);
}

}  // namespace

void keep_loose_slots(Session& session) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const AssignedSlots& slots_of = session.snapshot().workloads().slots();
  std::vector<DomainSlots> loose;
  for (WorkloadId workload : slots_of.with_loose()) {
    std::span<const DomainSlots> own = slots_of.loose(workload);
    loose.insert(loose.end(), own.begin(), own.end());
  }
  auto key = [&](const DomainSlots& slots) {
    const Workload& workload = cluster.workloads()[slots.row.workload];
    return std::tuple(strings.view(workload.name_space), std::string_view(workload.name),
                      slots.row.pod_set, slots.domain);
  };
  std::sort(loose.begin(), loose.end(),
            [&](const DomainSlots& a, const DomainSlots& b) { return key(a) < key(b); });
  for (const DomainSlots& slots : loose) {
    int32_t missing = slots.row.count - pods_inside(session, slots);
    if (missing <= 0) continue;
    const TopologyTree& tree = session.snapshot().trees()[slots.topology];
    std::vector<SlotFill> fills;
    FillRequest request{slots.row.pod_class, missing, FitMode::Now, {}};
    fill_nodes_with(session, request, tree.nodes(slots.domain), fills);
    session.keep_loose(slots.row.workload, fills);
  }
  session.commit("admit");
}

DaemonRoom::DaemonRoom(Session& session) : session_(session) {
  const Cluster& cluster = session_.cluster();
  const WorkloadRecords& records = cluster.workloads();
  for (uint32_t i = 0; i < records.daemon_sets().size(); ++i) {
    DaemonSetId id(i);
    if (!records.daemon_sets().alive(id)) continue;
    const DaemonSet& set = records.daemon_sets()[id];
    PodClassId pod_class = records.daemon_class(id);
    for (NodeId node : session_.snapshot().all_nodes().node_order()) {
      if (runs_on(cluster, node, set)) continue;
      if (session_.fits().node_fit(node, pod_class, FitMode::Now) == 0) continue;
      session_.statement().take_slots(pod_class, node, 1, FitMode::Now);
      daemons_.push_back({pod_class, node, 1});
    }
  }
  session_.commit("admit");
}

DaemonRoom::~DaemonRoom() {
  for (const SlotFill& fill : daemons_) {
    session_.statement().free_slots(fill.pod_class, fill.node, fill.count);
  }
  session_.commit("admit");
}

}  // namespace trellis
