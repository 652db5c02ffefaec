#include "session/snapshot/assigned_slots.h"

#include <algorithm>

namespace trellis {
namespace {

using PodsByNode = absl::flat_hash_map<uint32_t, int32_t>;

// The number of pods of the PodSet that have succeeded, by the node that they ran on.
PodsByNode over_by_node(const Cluster& cluster, WorkloadId workload, StrId pod_set) {
  PodsByNode over;
  for (PodId id : cluster.workloads().pods_of(workload)) {
    const PodSlot& slot = cluster.pods()[id];
    bool done = slot.pod.status == PodStatus::Succeeded;
    if (done && slot.node.valid() && slot.pod.pod_set == pod_set) ++over[slot.node.value];
  }
  return over;
}

int32_t reclaimed_of(const Workload& workload, StrId pod_set) {
  for (const auto& [name, count] : workload.reclaimable) {
    if (name == pod_set) return count;
  }
  return 0;
}

bool is_usable(const Node& node) { return node.ready; }

}  // namespace

SlotUse slot_use(const Cluster& cluster, NodeId node, const SlotRow& row) {
  SlotUse use;
  StrId name = cluster.workloads()[row.workload].pod_sets[row.pod_set].name;
  for (PodId id : cluster.pods_of(node)) {
    const PodSlot& slot = cluster.pods()[id];
    if (slot.workload != row.workload || slot.pod.pod_set != name) continue;
    use.now += occupies_node(slot.pod.status) ? 1 : 0;
    use.future += will_remain(slot.pod.status) ? 1 : 0;
  }
  return use;
}

void AssignedSlots::resize(size_t nodes, size_t workloads) {
  rows_.resize(nodes);
  usable_.resize(nodes, 1);
  lost_.resize(workloads);
  nodes_of_.resize(workloads);
  loose_.resize(workloads);
}

void AssignedSlots::remove(WorkloadId workload, std::vector<NodeId>& nodes) {
  for (NodeId node : nodes_of_[workload]) {
    std::erase_if(rows_[node], [&](const SlotRow& row) { return row.workload == workload; });
    nodes.push_back(node);
  }
  nodes_of_[workload].clear();
  lost_[workload].clear();
  loose_[workload].clear();
  with_loose_.erase(workload);
}

void AssignedSlots::find_flipped(const Cluster& cluster, std::span<const NodeId> nodes,
                                 std::vector<WorkloadId>& workloads) {
  for (NodeId node : nodes) {
    uint8_t usable = is_usable(cluster.nodes()[node]) ? 1 : 0;
    if (usable_[node] == usable) continue;
    usable_[node] = usable;
    for (const SlotRow& row : rows_[node]) workloads.push_back(row.workload);
  }
}

const AssignedSlots::Names& AssignedSlots::names_of(const TopologyTree& tree,
                                                    TopologyId topology) const {
  if (by_hostname_.size() <= topology.value) by_hostname_.resize(topology.value + 1);
  Names& names = by_hostname_[topology.value];
  if (!names.empty()) return names;
  IdRange leaves = tree.level(tree.level_count() - 1);
  for (uint32_t id = leaves.first; id < leaves.last; ++id) {
    auto [known, fresh] = names.try_emplace(tree.value(DomainId(id)).value, Named{DomainId(id)});
    if (!fresh) known->second.several = true;
  }
  return names;
}

bool AssignedSlots::has_own_name(const TopologyTree& tree, TopologyId topology,
                                 DomainId leaf) const {
  const Names& names = names_of(tree, topology);
  auto found = names.find(tree.value(leaf).value);
  return found != names.end() && !found->second.several;
}

DomainId AssignedSlots::find(const TopologyTree& tree, TopologyId topology, const Topology& levels,
                             const StringTable& strings, std::span<const StrId> assigned_levels,
                             std::span<const StrId> values) const {
  size_t depth = levels.levels.size();
  if (depth == 0 || values.empty()) return DomainId();
  if (assigned_levels.size() < depth) {
    const Names& names = names_of(tree, topology);
    auto found = names.find(values.back().value);
    return found == names.end() ? DomainId() : found->second.first;
  }
  DomainId at = tree.root();
  for (StrId value : values) {
    IdRange children = tree.children(at);
    auto less = [&](uint32_t id, std::string_view text) {
      return strings.view(tree.value(DomainId(id))) < text;
    };
    uint32_t low = children.first;
    uint32_t high = children.last;
    while (low < high) {
      uint32_t middle = low + (high - low) / 2;
      if (less(middle, strings.view(value))) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    if (low == children.last || tree.value(DomainId(low)) != value) return DomainId();
    at = DomainId(low);
  }
  return at;
}

void AssignedSlots::add(const Cluster& cluster,
                        const IndexedVector<TopologyId, TopologyTree>& trees, const Source& source,
                        std::vector<NodeId>& nodes) {
  const Workload& workload = cluster.workloads()[source.workload];
  for (uint32_t i = 0; i < workload.pod_sets.size(); ++i) {
    const PodSetAdmission& admission = workload.admission->pod_sets[i];
    if (!admission.topology || !source.topologies[i].valid()) continue;
    TopologyId topology = source.topologies[i];
    SlotRow row{source.workload, i, source.classes[i], 0};
    add_pod_set(cluster, trees[topology], topology, row, admission,
                reclaimed_of(workload, admission.name), nodes);
  }
  std::vector<NodeId>& own = nodes_of_[source.workload];
  std::sort(own.begin(), own.end());
  own.erase(std::unique(own.begin(), own.end()), own.end());
}

// Reclaimed pods are subtracted first where pods have succeeded, then from the last domain on.
void AssignedSlots::add_pod_set(const Cluster& cluster, const TopologyTree& tree,
                                TopologyId topology, const SlotRow& row,
                                const PodSetAdmission& admission, int32_t reclaimed,
                                std::vector<NodeId>& nodes) {
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyAssignment& assignment = *admission.topology;
  const Topology& levels = cluster.topologies()[topology];
  size_t width = assignment.levels.size();
  std::vector<DomainId> domains(assignment.size());
  std::vector<int32_t> counts = assignment.counts;
  bool deepest_is_node = tree.deepest_is_node();
  PodsByNode over_on;
  if (reclaimed > 0) over_on = over_by_node(cluster, row.workload, admission.name);
  for (size_t i = 0; i < domains.size(); ++i) {
    domains[i] = find(tree, topology, levels, strings, assignment.levels,
                      std::span(assignment.values).subspan(i * width, width));
    if (reclaimed == 0 || !domains[i].valid() || !deepest_is_node) continue;
    auto found = over_on.find(tree.nodes(domains[i]).front().value);
    if (found == over_on.end()) continue;
    int32_t over = std::min({reclaimed, counts[i], found->second});
    counts[i] -= over;
    reclaimed -= over;
  }
  for (size_t i = domains.size(); i-- > 0 && reclaimed > 0;) {
    int32_t freed = std::min(reclaimed, counts[i]);
    counts[i] -= freed;
    reclaimed -= freed;
  }
  for (size_t i = 0; i < domains.size(); ++i) {
    if (counts[i] == 0) continue;
    SlotRow part = row;
    part.count = counts[i];
    bool there = domains[i].valid() && !tree.nodes(domains[i]).empty();
    NodeId node = there ? tree.nodes(domains[i]).front() : NodeId();
    if (!there || (deepest_is_node && !is_usable(cluster.nodes()[node]))) {
      StrId value = assignment.values[i * width + width - 1];
      lost_[row.workload].push_back(
          {row.pod_set, std::string(strings.view(value)), counts[i], !there});
    }
    if (!there) continue;
    if (!deepest_is_node) {
      loose_[row.workload].push_back({part, topology, domains[i]});
      with_loose_.insert(row.workload);
      continue;
    }
    rows_[node].push_back(part);
    nodes_of_[row.workload].push_back(node);
    nodes.push_back(node);
  }
}

}  // namespace trellis
