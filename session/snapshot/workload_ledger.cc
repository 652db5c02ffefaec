#include "session/snapshot/workload_ledger.h"

#include <algorithm>
#include <utility>

#include "framework/quota_arithmetic.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

int32_t still_needed(const Workload& workload, const PodSetAdmission& admission) {
  int32_t needed = admission.count;
  for (const auto& [name, count] : workload.reclaimable) {
    if (name == admission.name) needed -= count;
  }
  return std::max(needed, 0);
}

uint64_t pair_key(PodClassId pod_class, FlavorId flavor) {
  return (uint64_t{pod_class.value} << 32) | flavor.value;
}

Reason about(ReasonCode code, std::string subject) {
  return {.code = code, .subject = std::move(subject)};
}

WorkloadStatus status_of(const Workload& workload) {
  if (workload.finished) return WorkloadStatus::Finished;
  if (!workload.admission) return WorkloadStatus::Pending;
  bool waits = workload.checks_pending || lacks_topology(*workload.admission);
  return waits ? WorkloadStatus::Reserved : WorkloadStatus::Admitted;
}

bool selects(const Cluster& cluster, const ClusterQueue& queue, StrId name_space) {
  if (queue.name_spaces.nothing) return false;
  return meets(queue.name_spaces.labels, cluster.name_space_labels(name_space),
               cluster.vocabulary().strings);
}

}  // namespace

LocalQueueId local_queue_of(const Cluster& cluster, const Workload& workload) {
  if (!workload.queue.valid()) return LocalQueueId();
  const StringTable& strings = cluster.vocabulary().strings;
  return cluster.workloads().local_queues().find(
      full_key(strings, workload.name_space, strings.view(workload.queue)));
}

std::vector<Reason> admission_bars(const Cluster& cluster, WorkloadId id) {
  const WorkloadRecords& records = cluster.workloads();
  const StringTable& strings = cluster.vocabulary().strings;
  const Workload& workload = records[id];
  if (!workload.errors.empty()) return workload.errors;
  if (!workload.active) return {about(ReasonCode::Suspended, "")};
  LocalQueueId local_id = local_queue_of(cluster, workload);
  if (!local_id.valid()) {
    bool named = workload.queue.valid();
    return {
        about(ReasonCode::QueueNotFound, named ? std::string(strings.view(workload.queue)) : "")};
  }
  const LocalQueue& local = records.local_queues()[local_id];
  ClusterQueueId queue_id = records.cluster_queues().find(strings.view(local.cluster_queue));
  if (!queue_id.valid()) {
    return {about(ReasonCode::QueueNotFound, std::string(strings.view(local.cluster_queue)))};
  }
  const ClusterQueue& queue = records.cluster_queues()[queue_id];
  if (!queue.inactive.empty()) {
    std::vector<Reason> reasons = {about(ReasonCode::ClusterQueueInactive, queue.name)};
    reasons.insert(reasons.end(), queue.inactive.begin(), queue.inactive.end());
    return reasons;
  }
  if (queue.stop != StopPolicy::None) return {about(ReasonCode::ClusterQueueStopped, queue.name)};
  if (local.stop != StopPolicy::None) return {about(ReasonCode::LocalQueueStopped, local.name)};
  if (!selects(cluster, queue, workload.name_space)) {
    return {about(ReasonCode::NamespaceMismatch, queue.name)};
  }
  return {};
}

PodClassId WorkloadLedger::flavored(WorkloadId workload, size_t pod_set, FlavorId flavor) const {
  auto found = flavored_.find(pair_key(cluster_->workloads().classes(workload)[pod_set], flavor));
  return found == flavored_.end() ? PodClassId() : found->second;
}

PodClassId WorkloadLedger::started(ClusterQueueId queue, const PodSetAdmission& admission,
                                   PodClassId base) const {
  auto given = [&](StrId name) {
    return std::ranges::any_of(admission.flavors,
                               [&](const auto& flavor) { return flavor.second == name; });
  };
  PodClassId made = base;
  for (const ResourceGroup& group : cluster_->workloads().cluster_queues()[queue].groups) {
    for (const FlavorQuota& quota : group.flavors) {
      if (!made.valid() || !given(quota.flavor)) continue;
      auto found = flavored_.find(pair_key(made, flavor(quota.flavor)));
      made = found == flavored_.end() ? PodClassId() : found->second;
    }
  }
  return made;
}

FlavorId WorkloadLedger::flavor(StrId name) const {
  auto found = flavors_.find(name.value);
  return found == flavors_.end() ? FlavorId() : found->second;
}

FlavorId WorkloadLedger::placed_flavor(const Cluster& cluster,
                                       const PodSetAdmission& admission) const {
  for (const auto& [resource, name] : admission.flavors) {
    FlavorId id = flavor(name);
    if (id.valid() && cluster.workloads().flavors()[id].topology.valid()) return id;
  }
  return FlavorId();
}

TopologyId WorkloadLedger::topology_of(const Cluster& cluster, FlavorId flavor) const {
  if (!flavor.valid()) return TopologyId();
  Maybe<StrId> topology = cluster.workloads().flavors()[flavor].topology;
  if (!topology) return TopologyId();
  return cluster.find_topology(cluster.vocabulary().strings.view(*topology));
}

std::vector<QuotaAmount> WorkloadLedger::amounts_of(const PodSetAdmission& admission) const {
  std::vector<QuotaAmount> amounts;
  for (const auto& [resource, flavor] : admission.flavors) {
    QuotaCellId cell = tree_.cell(flavor, resource);
    int64_t amount = admission.usage.get(resource);
    if (cell.valid() && amount > 0) amounts.push_back({cell, amount});
  }
  return amounts;
}

void WorkloadLedger::add_usage(ClusterQueueId queue, const QuotaAmount& amount, int64_t times) {
  trellis::add_usage(tree_, usage_, tree_.node(queue), amount.cell, amount.amount * times,
                     [this](int64_t& cell, int64_t value) {
                       cell = value;
                       saturated_ = saturated_ || is_saturated(value);
                     });
}

void WorkloadLedger::charge(UndoLog& log, ClusterQueueId queue, const QuotaAmount& amount,
                            int64_t times) {
  trellis::add_usage(tree_, usage_, tree_.node(queue), amount.cell, amount.amount * times,
                     [&](int64_t& cell, int64_t value) { log.set(cell, value); });
}

void WorkloadLedger::hold(UndoLog& log, WorkloadId workload, ClusterQueueId queue,
                          std::vector<QuotaAmount> amounts) {
  QuotaHolding& holding = holdings_[workload];
  holding.queue = queue;
  holding.amounts = std::move(amounts);
  log.set(holding.held, 1);
  for (const QuotaAmount& amount : holding.amounts) charge(log, queue, amount, 1);
}

void WorkloadLedger::release(UndoLog& log, WorkloadId workload) {
  QuotaHolding& holding = holdings_[workload];
  log.set(holding.held, 0);
  for (const QuotaAmount& amount : holding.amounts) charge(log, holding.queue, amount, -1);
}

void WorkloadLedger::rebuild(Cluster& cluster) {
  const WorkloadRecords& records = cluster.workloads();
  tree_ = QuotaTree(records.cluster_queues().all(), records.cohorts().all(),
                    cluster.vocabulary().strings);
  usage_.assign(tree_.node_count() * tree_.cell_count(), 0);
  flavored_.clear();
  flavors_.clear();
  for (uint32_t i = 0; i < records.flavors().size(); ++i) {
    if (!records.flavors().alive(FlavorId(i))) continue;
    StrId name = cluster.vocabulary().strings.intern(records.flavors()[FlavorId(i)].name);
    flavors_.emplace(name.value, FlavorId(i));
  }
  classes_ = WorkloadClasses();
}

void WorkloadLedger::refresh(Cluster& cluster, const ClusterChanges& changes,
                             const IndexedVector<TopologyId, TopologyTree>& trees,
                             std::vector<NodeId>& nodes) {
  cluster_ = &cluster;
  const WorkloadRecords& records = cluster.workloads();
  size_t workloads = records.workloads().size();
  holdings_.resize(workloads);
  queue_.resize(workloads);
  states_.resize(workloads);
  slots_.resize(cluster.nodes().size(), workloads);
  if (workloads == 0 && !changes.workloads.quotas) return;
  // A usage that saturated does not follow what is subtracted from it.
  bool all = std::exchange(saturated_, false) || changes.workloads.quotas || changes.topologies ||
             changes.node_set;
  std::vector<WorkloadId> changed = changes.workloads.workloads;
  changed.insert(changed.end(), worked_.begin(), worked_.end());
  worked_.clear();
  slots_.find_flipped(cluster, changes.nodes, changed);
  if (all) {
    changed.clear();
    for (uint32_t i = 0; i < workloads; ++i) changed.emplace_back(i);
    slots_.forget_names();
  } else {
    std::sort(changed.begin(), changed.end());
    changed.erase(std::unique(changed.begin(), changed.end()), changed.end());
  }
  size_t queues = records.cluster_queues().size();
  classes_.resize(queues, workloads);
  for (WorkloadId workload : changed) leave(workload, nodes);
  if (all) rebuild(cluster);
  classes_.resize(queues, workloads);
  for (WorkloadId workload : changed) enter(cluster, workload, trees, nodes);
}

void WorkloadLedger::leave(WorkloadId workload, std::vector<NodeId>& nodes) {
  QuotaHolding& holding = holdings_[workload];
  if (holding.held != 0) {
    for (const QuotaAmount& amount : holding.amounts) add_usage(holding.queue, amount, -1);
  }
  holding = QuotaHolding();
  holders_.erase(workload);
  delayed_.erase(workload);
  promised_.erase(workload);
  states_.set(workload, {});
  slots_.remove(workload, nodes);
  classes_.remove(workload);
}

void WorkloadLedger::flavor_classes(Cluster& cluster, WorkloadId workload) {
  const WorkloadRecords& records = cluster.workloads();
  auto add = [&](StrId name) {
    FlavorId id = flavor(name);
    if (!id.valid()) return;
    for (PodClassId base : records.classes(workload)) {
      add_flavored(cluster, base, id);
    }
  };
  for (const ResourceGroup& group : records.cluster_queues()[queue_[workload]].groups) {
    for (const FlavorQuota& quota : group.flavors) add(quota.flavor);
  }
  // The queue may have lost the flavor since.
  if (!records[workload].admission) return;
  for (const PodSetAdmission& set : records[workload].admission->pod_sets) {
    for (const auto& [resource, name] : set.flavors) add(name);
  }
}

PodClassId WorkloadLedger::add_flavored(Cluster& cluster, PodClassId base, FlavorId flavor) {
  auto [at, fresh] = flavored_.try_emplace(pair_key(base, flavor));
  if (fresh) at->second = cluster.flavored(base, flavor);
  return at->second;
}

// The classes of the pods that wait for the workload, with each choice of one flavor of every
// resource group.
void WorkloadLedger::flavor_pods(Cluster& cluster, WorkloadId workload) {
  constexpr size_t kMostClasses = 256;
  const WorkloadRecords& records = cluster.workloads();
  std::vector<PodClassId> classes;
  for (PodId pod : records.pods_of(workload)) {
    const PodSlot& slot = cluster.pods()[pod];
    if (slot.pod.status == PodStatus::Pending) classes.push_back(slot.pod_class);
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  for (const ResourceGroup& group : records.cluster_queues()[queue_[workload]].groups) {
    size_t before = classes.size();
    for (const FlavorQuota& quota : group.flavors) {
      FlavorId id = flavor(quota.flavor);
      if (!id.valid()) continue;
      for (size_t i = 0; i < before && classes.size() < kMostClasses; ++i) {
        classes.push_back(add_flavored(cluster, classes[i], id));
      }
    }
  }
}

// Puts the workload into its class, or sets what bars it from admission.
void WorkloadLedger::wait(const Cluster& cluster, WorkloadId id) {
  std::vector<Reason> reasons = admission_bars(cluster, id);
  if (!reasons.empty()) {
    auto shared = std::make_shared<const std::vector<Reason>>(std::move(reasons));
    return states_.set(id, {WorkloadStatus::Pending, {}, std::move(shared)});
  }
  classes_.add(cluster, queue_[id], id);
  states_.set(id, {WorkloadStatus::Pending, classes_.class_of(id), nullptr});
  if (cluster.workloads()[id].requeue_at != kNoTime) delayed_.insert(id);
}

void WorkloadLedger::enter(Cluster& cluster, WorkloadId id,
                           const IndexedVector<TopologyId, TopologyTree>& trees,
                           std::vector<NodeId>& nodes) {
  const WorkloadRecords& records = cluster.workloads();
  queue_[id] = ClusterQueueId();
  if (!records.alive(id)) return;
  const Workload& workload = records[id];
  const StringTable& strings = cluster.vocabulary().strings;
  LocalQueueId local = local_queue_of(cluster, workload);
  StrId queue = local.valid() ? records.local_queues()[local].cluster_queue : StrId();
  if (workload.admission) queue = workload.admission->cluster_queue;
  if (queue.valid()) queue_[id] = records.cluster_queues().find(strings.view(queue));
  size_t pods = 0;
  for (const PodSet& set : workload.pod_sets) pods += static_cast<size_t>(std::max(set.count, 0));
  most_pods_ = std::max(most_pods_, pods);
  bool stands = !workload.finished && queue_[id].valid();
  if (stands) flavor_classes(cluster, id);
  if (!workload.finished && !workload.admission) {
    if (workload.promised) promised_.insert(id);
    if (stands) flavor_pods(cluster, id);
    return wait(cluster, id);
  }
  states_.set(id, {status_of(workload), {}, nullptr});
  if (!stands) return;
  holders_.insert(id);
  QuotaHolding& holding = holdings_[id];
  holding.queue = queue_[id];
  holding.held = 1;
  holding.reserved_at = workload.admission->reserved_at;
  std::vector<TopologyId> topologies;
  std::vector<PodClassId> classes;
  for (size_t i = 0; i < workload.admission->pod_sets.size(); ++i) {
    const PodSetAdmission& admission = workload.admission->pod_sets[i];
    for (QuotaAmount amount : amounts_of(admission)) {
      if (admission.count > 0) {
        amount.amount =
            saturating_product(amount.amount / admission.count, still_needed(workload, admission));
      }
      auto same = [&](const QuotaAmount& other) { return other.cell == amount.cell; };
      auto at = std::find_if(holding.amounts.begin(), holding.amounts.end(), same);
      if (at == holding.amounts.end()) {
        holding.amounts.push_back(amount);
      } else {
        at->amount = add_to_sum(at->amount, amount.amount);
      }
    }
    FlavorId placed = placed_flavor(cluster, admission);
    topologies.push_back(topology_of(cluster, placed));
    classes.push_back(placed.valid() ? flavored(id, i, placed) : PodClassId());
  }
  for (const QuotaAmount& amount : holding.amounts) add_usage(holding.queue, amount, 1);
  slots_.add(cluster, trees, {id, topologies, classes}, nodes);
}

}  // namespace trellis
