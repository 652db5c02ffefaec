#include "session/cycle/session_workloads.h"

#include <algorithm>

namespace trellis {

bool belongs_in_slot(const Session& session, PodId pod) {
  const PodSlot& slot = session.cluster().pods()[pod];
  if (!slot.workload.valid()) return false;
  const Admission* admission = session.admission(slot.workload);
  if (admission == nullptr || session.cluster().workloads()[slot.workload].checks_pending) {
    return false;
  }
  return std::ranges::any_of(admission->pod_sets, [&](const PodSetAdmission& set) {
    return set.name == slot.pod.pod_set && set.topology;
  });
}

bool has_pods_in_slots(const Session& session, GangId gang) {
  if (session.snapshot().workloads().empty()) return false;
  return std::ranges::any_of(session.cluster().pods_of(gang),
                             [&](PodId pod) { return belongs_in_slot(session, pod); });
}

namespace {

bool covers(const ResourceGroup& group, ResourceId resource) {
  return std::find(group.resources.begin(), group.resources.end(), resource) !=
         group.resources.end();
}

}  // namespace

void WorkloadAsks::begin(WorkloadId workload, ClusterQueueId queue) {
  workload_ = workload;
  queue_ = queue;
  counts_.clear();
  const WorkloadRecords& records = context_.cluster().workloads();
  for (const PodSet& set : records[workload].pod_sets) counts_.push_back(set.count);
  all_have_topologies_ = true;
  for (const ResourceGroup& group : groups()) {
    for (const FlavorQuota& quota : group.flavors) {
      FlavorId id = context_.snapshot().workloads().flavor(quota.flavor);
      bool has = id.valid() && records.flavors()[id].topology.valid();
      all_have_topologies_ = all_have_topologies_ && has;
    }
  }
  read_parties();
}

void WorkloadAsks::read_parties() {
  const std::vector<PodSet>& sets = workload().pod_sets;
  parties_.clear();
  for (size_t i = 0; i < sets.size(); ++i) {
    StrId group = sets[i].topology.group;
    auto same = [&](const Party& party) {
      return group.valid() && sets[party.front()].topology.group == group;
    };
    auto at = std::find_if(parties_.begin(), parties_.end(), same);
    if (at == parties_.end()) {
      parties_.push_back({i});
    } else {
      at->push_back(i);
    }
  }
}

ResourceList WorkloadAsks::usage(const Party& party, const ResourceGroup& group) const {
  ResourceList sum;
  for (size_t set : party) {
    for (const ResourceAmount& item : workload().pod_sets[set].spec.requests.items()) {
      if (covers(group, item.resource)) {
        sum.add(item.resource, saturating_product(item.amount, counts_[set]));
      }
    }
  }
  return sum;
}

std::vector<const PodSpec*> WorkloadAsks::specs(const Party& party) const {
  std::vector<const PodSpec*> specs;
  for (size_t set : party) specs.push_back(&workload().pod_sets[set].spec);
  return specs;
}

Reason WorkloadAsks::uncovered(size_t pod_set) const {
  const QuotaRules& rules = *context_.hooks().quota_rules;
  std::span<const ResourceAmount> asked = workload().pod_sets[pod_set].spec.requests.items();
  auto counts_pods = [](const ResourceGroup& group) { return covers(group, kPods); };
  if (std::any_of(groups().begin(), groups().end(), counts_pods)) {
    return rules.uncovered(queue_, asked);
  }
  auto is_pods = [](const ResourceAmount& item) { return item.resource == kPods; };
  auto pods = std::find_if(asked.begin(), asked.end(), is_pods);
  Reason reason = rules.uncovered(queue_, {asked.begin(), pods});
  if (reason.code != ReasonCode::None || pods == asked.end()) return reason;
  return rules.uncovered(queue_, {pods + 1, asked.end()});
}

std::string WorkloadAsks::topology_error(const Party& party, const Flavor& flavor) const {
  if (!flavor.topology.valid()) return "";
  const Cluster& cluster = context_.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyRequest& request = workload().pod_sets[party.front()].topology;
  auto error = [&](const char* what) { return "Flavor \"" + flavor.name + "\" " + what; };
  if (request.empty() && !all_have_topologies_) {
    return error("supports only TopologyAwareScheduling");
  }
  TopologyId id = cluster.find_topology(strings.view(*flavor.topology));
  if (!id.valid()) return error("information missing in TAS cache");
  StrId level = request.required.valid() ? request.required : request.preferred;
  if (!level.valid() || strings.view(level) == "auto") return "";
  for (const TopologyLevel& known : cluster.topologies()[id].levels) {
    if (known.label == level) return "";
  }
  return error("does not contain the requested level");
}

std::string WorkloadAsks::combination_error(const Party& party,
                                            std::span<const FlavorOption> flavors) const {
  const auto& records = context_.cluster().workloads().flavors();
  int64_t with_topology = std::count_if(
      flavors.begin(), flavors.end(),
      [&](const FlavorOption& option) { return records[option.flavor].topology.valid(); });
  if (with_topology > 1) return "more than one flavor with a topology";
  if (with_topology == 1 || workload().pod_sets[party.front()].topology.empty()) return "";
  std::string name = flavors.empty() ? "" : records[flavors.front().flavor].name;
  return "Flavor \"" + name + "\" does not support TopologyAwareScheduling";
}

std::vector<SlotFill> depart(Session& session, WorkloadId workload, Beneficiary by) {
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
    if (is_active(state.status) && state.node.valid()) statement.evict(pod, by.gang, by.workload);
  }
  return left;
}

}  // namespace trellis
