#include "session/cluster/cluster.h"

#include <algorithm>
#include <utility>

#include "framework/check.h"
#include "framework/pod_spec_hash.h"
#include "session/cluster/named_table.h"
#include "session/cluster/pod_hold.h"
#include "session/cluster/sort_large.h"

namespace trellis {
namespace {

void erase_one(std::vector<PodId>& list, PodId pod) {
  auto at = std::find(list.begin(), list.end(), pod);
  if (at != list.end()) list.erase(at);
}

// Keys are computed once, so that most comparisons read no text.
template <class Id, class KeyOf>
std::vector<Id> sorted_ids(std::vector<Id> ids, KeyOf key_of) {
  std::vector<std::pair<SortKey, Id>> order;
  order.reserve(ids.size());
  for (Id id : ids) order.emplace_back(key_of(id), id);
  std::sort(order.begin(), order.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::ranges::transform(order, ids.begin(), [](const auto& entry) { return entry.second; });
  return ids;
}

bool has_terms(const PodSpec& spec) {
  return !spec.pod_affinity.empty() || !spec.pod_anti_affinity.empty() ||
         !spec.preferred_pods.empty() || !spec.spread.empty();
}

}  // namespace

Cluster::Cluster() = default;

void Cluster::add(Objects objects) {
  for (NameSpace& name_space : objects.name_spaces) upsert(std::move(name_space));
  // All terms before all pods: each pod is put into a class once.
  for (const PodObject& object : objects.pods) {
    if (!has_terms(*object.spec)) continue;
    PodSpec spec = *object.spec;
    settle_terms(object.pod, spec);
  }
  for (Topology& topology : objects.topologies) upsert(std::move(topology));
  for (Queue& queue : objects.queues) upsert(std::move(queue));
  for (DisruptionBudget& budget : objects.budgets) upsert(std::move(budget));
  for (NodeRequest& request : objects.node_requests) upsert(std::move(request));
  nodes_.reserve(objects.nodes.size());
  gangs_.reserve(objects.gangs.size());
  pods_.reserve(objects.pods.size());
  for (Node& node : objects.nodes) upsert(std::move(node));
  for (Gang& gang : objects.gangs) upsert(std::move(gang));
  add_pods(objects.pods);
  const StringTable& strings = vocabulary_.strings;
  for (Flavor& flavor : objects.flavors) workloads_.upsert(std::move(flavor));
  for (ClusterQueue& queue : objects.cluster_queues) workloads_.upsert(std::move(queue));
  for (Cohort& cohort : objects.cohorts) workloads_.upsert(std::move(cohort));
  for (LocalQueue& queue : objects.local_queues) workloads_.upsert(std::move(queue), strings);
  for (DaemonSet& set : objects.daemon_sets) upsert(std::move(set));
  for (Volume& volume : objects.volumes) upsert(std::move(volume));
  for (StoragePool& pool : objects.storage_pools) upsert(std::move(pool));
  for (DeviceSlice& slice : objects.device_slices) upsert(std::move(slice));
  for (DeviceClass& device_class : objects.device_classes) upsert(std::move(device_class));
  for (DeviceTaints& taints : objects.device_taints) upsert(std::move(taints));
  for (DeviceClaim& claim : objects.device_claims) upsert(std::move(claim));
  for (Reservation& one : objects.reservations) upsert(std::move(one));
  for (Workload& workload : objects.workloads) upsert(std::move(workload));
  ++generation_;
}

// The class of a spec that pods share is looked up once, unless it depends on the pod.
void Cluster::add_pods(std::vector<PodObject>& pods) {
  absl::flat_hash_map<const PodSpec*, PodClassId> classes;
  for (PodObject& object : pods) {
    bool depends = has_terms(*object.spec) ||
                   !pod_selectors_.matching(object.pod, vocabulary_.strings).empty();
    if (depends) {
      upsert(std::move(object.pod), *object.spec);
      continue;
    }
    auto [known, fresh] = classes.try_emplace(object.spec.identity());
    if (fresh) known->second = intern_class(*object.spec);
    enter(std::move(object.pod), known->second);
  }
}

void Cluster::apply(ObjectChanges changes) {
  for (const RemovedObjects::Named& pod : changes.removed.pods) {
    remove_pod(vocabulary_.strings.find(pod.name_space), pod.name);
  }
  add(std::move(changes.upserts));
  // From here on no pod names these gangs, nodes, queues and topologies any more.
  for (const RemovedObjects::Named& gang : changes.removed.gangs) {
    remove_gang(gang.name_space, gang.name);
  }
  for (const std::string& node : changes.removed.nodes) remove_node(node);
  for (const std::string& queue : changes.removed.queues) remove_queue(queue);
  for (const std::string& topology : changes.removed.topologies) remove_topology(topology);
  for (const RemovedObjects::Named& budget : changes.removed.budgets) {
    remove_budget(budget.name_space, budget.name);
  }
  for (const RemovedObjects::Named& request : changes.removed.node_requests) {
    remove_node_request(request.name_space, request.name);
  }
  remove_workloads(changes.removed);
  remove_storage(changes.removed);
  remove_devices(changes.removed);
  remove_reservations(changes.removed);
}

NodeId Cluster::upsert(Node node) {
  ++generation_;
  NodeId known = nodes_.find(node.name);
  bool same_set = known.valid() && nodes_[known].labels == node.labels;
  changes_.node_set = changes_.node_set || !same_set;
  if (known.valid()) keep_leavers(nodes_[known], node);
  NodeId id = nodes_.upsert(node.name, std::move(node));
  if (!known.valid()) {
    if (!pods_of_node_.contains(id)) pods_of_node_.resize(nodes_.size());
    resolve_waiting_pods(id);
  }
  changes_.nodes.push_back(id);
  return id;
}

void Cluster::resolve_waiting_pods(NodeId node) {
  std::vector<PodId> waiting = std::move(homeless_);
  homeless_.clear();
  for (PodId pod : waiting) {
    if (!alive(pod) || pods_[pod].node.valid() || pods_[pod].pod.node.empty()) continue;
    if (pods_[pod].pod.node != nodes_[node].name) {
      homeless_.push_back(pod);
      continue;
    }
    pods_[pod].node = node;
    pods_of_node_[node].push_back(pod);
    note(pod);
  }
}

void Cluster::remove_node(std::string_view name) {
  NodeId id = nodes_.remove(name);
  if (!id.valid()) return;
  ++generation_;
  for (PodId pod : pods_of_node_[id]) {
    note(pod);
    pods_[pod].node = NodeId();
    homeless_.push_back(pod);
  }
  pods_of_node_[id].clear();
  changes_.nodes.push_back(id);
  changes_.node_set = true;
}

PodClassId Cluster::intern_class(PodSpec spec) {
  std::vector<PodClassId>& bucket = class_ids_[hash_of(spec)];
  for (PodClassId id : bucket) {
    if (pod_classes_[id] == spec) return id;
  }
  PodClassId id = pod_classes_.push_back(std::move(spec));
  bucket.push_back(id);
  return id;
}

// Sets the selector ids of terms; pods that a new selector selects change their class.
void Cluster::settle_terms(const Pod& pod, PodSpec& spec) {
  auto intern = [&](const PodSelector& selector) {
    if (selector.nothing) return PodSelectorId();
    auto [id, fresh] = pod_selectors_.intern(selector);
    if (!fresh) return id;
    unmatched_pod_sets_ = true;
    for (uint32_t i = 0; i < pods_.size(); ++i) {
      const PodSlot& slot = pods_[PodId(i)];
      if (!alive(PodId(i)) || !pod_selectors_.selects(id, slot.pod, vocabulary_.strings)) continue;
      std::vector<PodSelectorId> matched = pod_classes_[slot.pod_class].matched;
      matched.push_back(id);  // ids grow
      reclassify(PodId(i), std::move(matched));
    }
    return id;
  };
  auto settle_term = [&](PodTerm& term) {
    settle(term, pod.name_space, pod.labels);
    term.selector = intern(term.pods);
  };
  for (PodTerm& term : spec.pod_affinity) settle_term(term);
  for (PodTerm& term : spec.pod_anti_affinity) settle_term(term);
  for (WeightedPodTerm& weighted : spec.preferred_pods) settle_term(weighted.term);
  for (SpreadConstraint& constraint : spec.spread) {
    settle(constraint, pod.name_space, pod.labels);
    bool counts = !constraint.counts_nothing;
    constraint.selector = counts ? intern(constraint.pods) : PodSelectorId();
  }
}

void Cluster::reclassify(PodId pod, std::vector<PodSelectorId> matched) {
  PodClassId before = pods_[pod].pod_class;
  pods_[pod].pod_class = matched_class(before, std::move(matched));
  if (pods_[pod].pod_class != before) note(pod);
}

void Cluster::upsert(NameSpace name_space) {
  ++generation_;
  StrId name = name_space.name;
  Labels before = name_space_labels(name);
  bool read = pod_selectors_.set_name_space(std::move(name_space), vocabulary_.strings);
  if (name_space_labels(name) != before) workloads_.touch_name_space(name);
  if (!read) return;
  unmatched_pod_sets_ = true;
  for (uint32_t i = 0; i < pods_.size(); ++i) {
    if (!alive(PodId(i)) || pods_[PodId(i)].pod.name_space != name) continue;
    reclassify(PodId(i), pod_selectors_.matching(pods_[PodId(i)].pod, vocabulary_.strings));
  }
}

// The slot of a gang; a gang that was never described has an empty record until it is.
GangId Cluster::gang_slot(StrId key) {
  GangId id = gangs_.find(key);
  if (id.valid()) return id;
  id = gangs_.slot(key);
  if (!pods_of_gang_.contains(id)) pods_of_gang_.resize(gangs_.size());
  std::string_view text = vocabulary_.strings.view(key);
  size_t slash = text.find('/');
  gangs_[id].name_space = vocabulary_.strings.intern(text.substr(0, slash));
  gangs_[id].name = std::string(text.substr(slash + 1));
  return id;
}

void Cluster::note(PodId pod) {
  changes_.pods.push_back(pod);
  if (pods_[pod].node.valid()) changes_.nodes.push_back(pods_[pod].node);
  if (pods_[pod].gang.valid()) changes_.gangs.push_back(pods_[pod].gang);
  if (pods_[pod].workload.valid()) workloads_.touch(pods_[pod].workload);
}

void Cluster::detach(PodId id) {
  note(id);
  PodSlot& slot = pods_[id];
  if (slot.node.valid()) erase_one(pods_of_node_[slot.node], id);
  if (slot.gang.valid()) erase_one(pods_of_gang_[slot.gang], id);
  if (!slot.pod.promised.empty()) erase_one(promised_pods_, id);
  if (slot.pod.finished != kNoTime) erase_one(failed_pods_, id);
  if (slot.pod.workload.valid()) {
    workloads_.detach(id, vocabulary_.strings.view(slot.pod.workload));
  }
  slot.node = NodeId();
  slot.gang = GangId();
  slot.workload = WorkloadId();
}

void Cluster::attach(PodId id) {
  PodSlot& slot = pods_[id];
  slot.gang = gang_slot(slot.pod.gang);
  pods_of_gang_[slot.gang].push_back(id);
  if (!slot.pod.promised.empty()) promised_pods_.push_back(id);
  if (slot.pod.finished != kNoTime) failed_pods_.push_back(id);
  if (slot.pod.workload.valid()) {
    slot.workload = workloads_.attach(id, vocabulary_.strings.view(slot.pod.workload));
  }
  if (!slot.pod.node.empty()) {
    slot.node = nodes_.find(slot.pod.node);
    if (slot.node.valid()) {
      pods_of_node_[slot.node].push_back(id);
    } else {
      homeless_.push_back(id);
    }
  }
  note(id);
}

PodId Cluster::upsert(Pod pod, PodSpec spec) {
  settle_terms(pod, spec);
  spec.matched = pod_selectors_.matching(pod, vocabulary_.strings);
  return enter(std::move(pod), intern_class(std::move(spec)));
}

PodId Cluster::enter(Pod pod, PodClassId pod_class) {
  ++generation_;
  PodId known = pods_.find({pod.name_space, pod.name});
  ZonesHeld held;
  bool arrives = !known.valid() || !has_arrived(pods_[known].pod);
  if (known.valid()) {
    held = zones_held(pods_[known], pod_classes_);
    detach(known);
  }
  PodSlot slot = {.pod = std::move(pod), .pod_class = pod_class};
  PodId id = pods_.upsert({slot.pod.name_space, slot.pod.name}, std::move(slot));
  if (arrives) changes_.arrived.push_back(id);
  attach(id);
  note_leaver(id, held);
  return id;
}

void Cluster::remove_pod(StrId name_space, std::string_view name) {
  if (!name_space.valid()) return;
  PodId id = pods_.find({name_space, name});
  if (!id.valid()) return;
  ++generation_;
  ZonesHeld held = zones_held(pods_[id], pod_classes_);
  detach(id);
  note_leaver(id, held);
  pods_.remove({name_space, name});
}

// `held`: by the pod before it changed.
void Cluster::note_leaver(PodId id, const ZonesHeld& held) {
  const PodSlot& slot = pods_[id];
  bool stays = slot.node == held.node && occupies_node(slot.pod.status);
  if (held.node.valid() && !stays) add_leaver(nodes_[held.node], held);
}

void Cluster::set_promise(PodId id, NodeId node) {
  SharedText& promised = pods_[id].pod.promised;
  SharedText name = node.valid() ? SharedText(nodes_[node].name) : SharedText();
  if (promised == name) return;
  ++generation_;
  if (promised.empty()) promised_pods_.push_back(id);
  if (name.empty()) erase_one(promised_pods_, id);
  promised = std::move(name);
}

void Cluster::set_pod(PodId id, PodStatus status, NodeId node, TimeUs started) {
  set_promise(id, NodeId());
  ++generation_;
  note(id);
  PodSlot& slot = pods_[id];
  ZonesHeld held = zones_held(slot, pod_classes_);
  if (slot.node.valid()) erase_one(pods_of_node_[slot.node], id);
  slot.node = node;
  slot.pod.status = status;
  slot.pod.started = started;
  if (status != PodStatus::Releasing) slot.pod.leaving_since = kNoTime;
  slot.pod.node = node.valid() ? SharedText(nodes_[node].name) : SharedText();
  if (node.valid()) pods_of_node_[node].push_back(id);
  note(id);
  note_leaver(id, held);
}

void Cluster::set_gang_times(GangId id, TimeUs started, TimeUs stale_since) {
  Gang& gang = gangs_[id];
  if (gang.started == started && gang.stale_since == stale_since) return;
  ++generation_;
  gang.started = started;
  gang.stale_since = stale_since;
  changes_.gangs.push_back(id);
}

void Cluster::remove_queue(std::string_view name) {
  if (!queues_.remove(name).valid()) return;
  ++generation_;
  changes_.queues = true;
}

void Cluster::remove_topology(std::string_view name) {
  if (!topologies_.remove(name).valid()) return;
  ++generation_;
  changes_.topologies = true;
}

QueueId Cluster::upsert(Queue queue) {
  ++generation_;
  changes_.queues = true;
  return queues_.upsert(queue.name, std::move(queue));
}

TopologyId Cluster::upsert(Topology topology) {
  ++generation_;
  changes_.topologies = true;
  return topologies_.upsert(topology.name, std::move(topology));
}

BudgetId Cluster::upsert(DisruptionBudget budget) {
  ++generation_;
  changes_.budgets = true;
  std::string key = full_key(vocabulary_.strings.view(budget.name_space), budget.name);
  return budgets_.upsert(key, std::move(budget));
}

void Cluster::remove_budget(std::string_view name_space, std::string_view name) {
  if (!budgets_.remove(full_key(name_space, name)).valid()) return;
  ++generation_;
  changes_.budgets = true;
}

BudgetId Cluster::find_budget(std::string_view name_space, std::string_view name) const {
  return budgets_.find(full_key(name_space, name));
}

PodId Cluster::find_pod(std::string_view name_space, std::string_view name) const {
  return pods_.find({vocabulary_.strings.find(name_space), name});
}

GangId Cluster::find_gang(std::string_view name_space, std::string_view name) const {
  return gangs_.find(vocabulary_.strings.find(full_key(name_space, name)));
}

std::vector<NodeId> Cluster::nodes_by_name() const {
  return sorted_ids(nodes_.live(), [&](NodeId id) { return std::string_view(nodes_[id].name); });
}

std::vector<PodId> Cluster::pods_by_name() const {
  return sorted_ids(pods_.live(), [&](PodId id) {
    const Pod& pod = pods_[id].pod;
    return std::pair(vocabulary_.strings.view(pod.name_space), std::string_view(pod.name));
  });
}

std::vector<GangId> Cluster::gangs_by_name() const {
  return sorted_ids(gangs_.live(), [&](GangId id) {
    const Gang& gang = gangs_[id];
    return std::pair(vocabulary_.strings.view(gang.name_space), std::string_view(gang.name));
  });
}

ClusterChanges Cluster::take_changes() {
  match_pod_sets();
  ClusterChanges taken = std::move(changes_);
  changes_ = ClusterChanges();
  taken.workloads = workloads_.take_changes();
  return taken;
}

void Cluster::mark_all_changed() {
  ++generation_;
  changes_ = ClusterChanges{.node_set = true,
                            .topologies = true,
                            .queues = true,
                            .budgets = true,
                            .storage = true,
                            .devices = true};
  for (uint32_t i = 0; i < nodes_.size(); ++i) changes_.nodes.emplace_back(i);
  for (uint32_t i = 0; i < pods_.size(); ++i) changes_.pods.emplace_back(i);
  changes_.arrived = changes_.pods;
  for (uint32_t i = 0; i < gangs_.size(); ++i) changes_.gangs.emplace_back(i);
  workloads_.mark_all_changed();
}

void Cluster::check_invariants() const {
  size_t on_nodes = 0;
  for (uint32_t i = 0; i < nodes_.size(); ++i) {
    NodeId node(i);
    require(!alive(node) || find_node(nodes_[node].name) == node, "a node's name finds it");
    for (PodId pod : pods_of_node_[node]) require(pods_[pod].node == node, "pods of a node");
    on_nodes += pods_of_node_[node].size();
  }
  size_t in_gangs = 0;
  for (uint32_t i = 0; i < gangs_.size(); ++i) {
    for (PodId pod : pods_of_gang_[GangId(i)])
      require(pods_[pod].gang == GangId(i), "pods of a gang");
    in_gangs += pods_of_gang_[GangId(i)].size();
  }
  for (uint32_t i = 0; i < pods_.size(); ++i) {
    const PodSlot& slot = pods_[PodId(i)];
    if (!alive(PodId(i))) continue;
    on_nodes -= slot.node.valid() ? 1 : 0;
    in_gangs -= slot.gang.valid() ? 1 : 0;
    require(find_pod(vocabulary_.strings.view(slot.pod.name_space), slot.pod.name) == PodId(i),
            "a pod's name finds it");
  }
  require(on_nodes == 0 && in_gangs == 0, "every pod stands in the lists of its node and gang");
}

}  // namespace trellis
