#include "session/snapshot/snapshot.h"

#include <algorithm>
#include <map>
#include <utility>

#include "framework/check.h"
#include "framework/gang_minimum.h"
#include "framework/gpu_share.h"
#include "framework/sort_unique.h"
#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

template <class Id>
void append(std::vector<Id>& to, std::vector<Id>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

void append_all(std::vector<NodeId>& to, size_t nodes) {
  for (NodeId node(0U); node.value < nodes; ++node.value) to.push_back(node);
}

int64_t device_count(const Node& node) {
  return std::clamp<int64_t>(node.allocatable.get(kGpu) / kMilli, 0, 1024);
}

// The device of a group of sharing pods: the group's number if it is one, else the first free
// device.
size_t device_of_group(std::string_view group, const std::vector<bool>& used) {
  size_t number = 0;
  bool numeric = !group.empty() && group.size() < 5;
  for (char c : group) {
    numeric = numeric && c >= '0' && c <= '9';
    number = number * 10 + static_cast<size_t>(c - '0');
  }
  if (numeric && number < used.size() && !used[number]) return number;
  return static_cast<size_t>(std::find(used.begin(), used.end(), false) - used.begin());
}

}  // namespace

const GpuGrant& Snapshot::grant(PodId pod) const {
  static const GpuGrant kNothing;
  bool promised = this->pod(pod).status == PodStatus::Pipelined;
  const auto& grants = promised ? promised_grants_ : grants_;
  auto found = grants.find(pod.value);
  return found == grants.end() ? kNothing : found->second;
}

// Pods whose time is over are read again, and their nodes with them.
void Snapshot::note_stuck(const Cluster& cluster, ClusterChanges& changes) {
  if (leaving_rule_.grace_us < 0) return;
  for (const auto& [since, pod] : leavers_) {
    if (since + leaving_rule_.grace_us > leaving_rule_.now) break;
    changes.pods.emplace_back(pod);
    NodeId node = cluster.pods()[PodId(pod)].node;
    if (node.valid()) changes.nodes.push_back(node);
  }
}

// Whether the pod leaves and is stuck. Pods of workloads never are: their slots follow the records.
bool Snapshot::follow_leaver(const Cluster& cluster, PodId pod) {
  if (auto known = leaving_since_.find(pod.value); known != leaving_since_.end()) {
    leavers_.erase({known->second, pod.value});
    leaving_since_.erase(known);
    stuck_.erase(pod.value);
  }
  const PodSlot& slot = cluster.pods()[pod];
  TimeUs since = slot.pod.leaving_since;
  bool leaves = cluster.alive(pod) && slot.pod.status == PodStatus::Releasing &&
                slot.node.valid() && since != kNoTime && !slot.workload.valid();
  if (!leaves || leaving_rule_.grace_us < 0) return false;
  leaving_since_.emplace(pod.value, since);
  bool stuck = since + leaving_rule_.grace_us <= leaving_rule_.now;
  if (stuck) stuck_.insert(pod.value);
  if (!stuck) leavers_.emplace(since, pod.value);
  return stuck;
}

Snapshot::Refreshed Snapshot::refresh(Cluster& cluster, const LeavingRule& rule) {
  ClusterChanges changes = cluster.take_changes();
  leaving_rule_ = rule;
  note_stuck(cluster, changes);
  Refreshed result;
  resize(cluster);
  append(changes.nodes, worked_nodes_);
  append(changes.pods, worked_pods_);
  append(changes.gangs, worked_gangs_);
  for (WorkloadId workload : changes.workloads.workloads) {
    for (PodId pod : cluster.workloads().pods_of(workload)) {
      changes.pods.push_back(pod);
      changes.gangs.push_back(cluster.pods()[pod].gang);
    }
  }
  bool new_trees = changes.node_set || changes.topologies || all_nodes_.domain_count() == 0;
  if (new_trees) rebuild_trees(cluster);
  workloads_.refresh(cluster, changes, trees_, changes.nodes);
  size_t reserved = workloads_.most_pods();
  if (reserved > 0) reserved = std::clamp(reserved, kLeastReserved, kMostReserved);
  if (reserved > reserved_pods_) {
    reserved_pods_ = reserved;
    resize(cluster);
  }
  if (changes.storage || changes.devices) append_all(changes.nodes, cluster.nodes().size());
  sort_unique(changes.nodes);
  sort_unique(changes.pods);
  sort_unique(changes.gangs);
  sort_unique(changes.arrived);
  for (PodId pod : changes.arrived) {
    bool arrived = cluster.alive(pod) && has_arrived(cluster.pods()[pod].pod);
    if (arrived) result.arrived.push_back(cluster.pods()[pod].pod_class);
  }

  for (NodeId node : changes.nodes) node_classes_.classify(node, cluster.nodes()[node]);
  bool renumbered =
      node_classes_.read_pod_classes(cluster.pod_classes(), cluster.nodes()) || new_trees;
  if (layout_devices(cluster, changes.nodes)) {
    changes.nodes.clear();
    append_all(changes.nodes, cluster.nodes().size());
  }
  leave_old_places(result);
  for (PodId pod : changes.pods) refresh_pod(cluster, pod, result);
  for (NodeId node : changes.nodes) rebuild_node(cluster, node);
  for (GangId gang : changes.gangs) recount_gang(cluster, gang);
  queues_.refresh(cluster, changes);
  bool same_places = !renumbered && changes.nodes.empty() && result.moved.empty();
  bool same_rules =
      !changes.topologies && !changes.queues && !changes.budgets && changes.workloads.empty();
  if (!same_places || !same_rules) ++epoch_;
  if (renumbered) changes_.restart();
  changes_.trim(4 * cluster.nodes().size() + 1024);
  result.nodes_renumbered = renumbered;
  result.pods = std::move(changes.pods);
  result.gangs = std::move(changes.gangs);
  result.nodes = std::move(changes.nodes);
  return result;
}

void Snapshot::resize(const Cluster& cluster) {
  size_t nodes = cluster.nodes().size();
  for (auto* columns : {&state_.allocatable, &state_.now, &state_.future}) {
    columns->resize(cluster.vocabulary().resources.size());
    for (NodeState::Column& column : *columns) column.resize(nodes, 0);
  }
  size_t pods = cluster.pods().size() + reserved_pods_;
  pods_.resize(pods, pack({}));
  pod_keys_.resize(pods);
  gang_counts_.resize(cluster.gangs().size());
  subgroup_counts_.resize(cluster.gangs().size());
  leaving_.resize(nodes, 0);
}

// True when the devices were laid out again, so that every node must be rebuilt.
bool Snapshot::layout_devices(const Cluster& cluster, std::span<const NodeId> changed) {
  const auto& nodes = cluster.nodes();
  bool same = state_.first_device.size() == nodes.size() + 1;
  auto keeps_its_devices = [&](NodeId node) {
    int64_t held = static_cast<int64_t>(state_.devices(node, FitMode::Now).size());
    return held == device_count(nodes[node]);
  };
  if (same && std::all_of(changed.begin(), changed.end(), keeps_its_devices)) return false;
  state_.first_device.assign(nodes.size() + 1, 0);
  uint32_t first = 0;
  for (uint32_t i = 0; i < nodes.size(); ++i) {
    state_.first_device[NodeId(i)] = first;
    first += static_cast<uint32_t>(device_count(nodes[NodeId(i)]));
  }
  state_.first_device[NodeId(nodes.size())] = first;
  state_.device_now.assign(first, kWholeDevice);
  state_.device_future.assign(first, kWholeDevice);
  return true;
}

void Snapshot::rebuild_trees(const Cluster& cluster) {
  std::vector<NodeId> live = cluster.nodes_by_name();
  const StringTable& strings = cluster.vocabulary().strings;
  all_nodes_ = TopologyTree(Topology(), live, cluster.nodes(), strings);
  trees_.clear();
  for (const Topology& topology : cluster.topologies()) {
    trees_.push_back(TopologyTree(topology, live, cluster.nodes(), strings));
  }
}

// Evicted pods that were promised another place were in two places.
void Snapshot::leave_old_places(Refreshed& result) {
  for (const auto& [pod, node] : worked_evictions_) {
    if (this->pod(pod).status != PodStatus::Pipelined) continue;
    PodClassId pod_class = pod_keys_[pod].pod_class;
    result.moved.push_back(
        {pod_class, node, Presence::Evicted, pod_class, NodeId(), Presence::Stays, pod});
  }
  worked_evictions_.clear();
  for (const auto& [slots, count] : worked_slots_) {
    auto [pod_class, node, presence] = slots;
    result.moved.insert(result.moved.end(), static_cast<size_t>(count),
                        {pod_class, node, presence, pod_class, NodeId(), Presence::Stays, PodId()});
  }
  worked_slots_.clear();
}

void Snapshot::refresh_pod(const Cluster& cluster, PodId pod, Refreshed& result) {
  const PodSlot& slot = cluster.pods()[pod];
  PodState before = unpack(pods_[pod]);
  PodState after{slot.node, slot.pod.status};
  pods_[pod] = pack(after);
  bool was_there = occupies_node(before.status) || will_remain(before.status);
  NodeId from = was_there ? before.node : NodeId();
  NodeId to = occupies_node(after.status) ? after.node : NodeId();
  promised_grants_.erase(pod.value);
  grants_.erase(pod.value);  // its node, if it has one, grants it devices again
  PodClassId from_class = pod_keys_[pod].pod_class;
  pod_keys_[pod] = {slot.pod_class, slot.gang, -1, hold_of(cluster, slot)};
  Presence was = stuck_.contains(pod.value) ? Presence::Stays : presence_of(before.status);
  Presence is = follow_leaver(cluster, pod) ? Presence::Stays : presence_of(after.status);
  if (from == to && from_class == slot.pod_class && was == is) return;
  if (from.valid() || to.valid()) {
    result.moved.push_back({from_class, from, was, slot.pod_class, to, is, pod});
  }
}

void Snapshot::rebuild_node(const Cluster& cluster, NodeId id) {
  const Node& node = cluster.nodes()[id];
  auto set = [&](ResourceId resource, int64_t amount) {
    state_.allocatable[resource][id] = amount;
    state_.now[resource][id] = amount;
    state_.future[resource][id] = amount;
  };
  for (uint32_t i = 0; i < state_.allocatable.size(); ++i) set(ResourceId(i), 0);
  for (const ResourceAmount& item : node.allocatable.items()) set(item.resource, item.amount);
  uint32_t first = state_.first_device[id];
  uint32_t last = state_.first_device[NodeId(id.value + 1)];
  std::fill(state_.device_now.begin() + first, state_.device_now.begin() + last, kWholeDevice);
  std::fill(state_.device_future.begin() + first, state_.device_future.begin() + last,
            kWholeDevice);

  std::vector<PodId> sharing;
  for (PodId pod : cluster.pods_of(id)) {
    if (!occupies_node(cluster.pods()[pod].pod.status)) continue;
    hold(cluster, pod, id);
    PodClassId pod_class = cluster.pods()[pod].pod_class;
    if (cluster.pod_classes()[pod_class].gpu_share.active()) sharing.push_back(pod);
  }
  if (!sharing.empty()) assign_devices(cluster, id, std::move(sharing));
  if (!workloads_.empty()) hold_slots(cluster, id);

  int64_t leaving = differs(id) || !node.left.empty() ? 1 : 0;
  leaving_nodes_ += leaving - leaving_[id];
  leaving_[id] = leaving;
  changes_.touch(id);
}

void Snapshot::take(const PodSpec& spec, NodeId node, int64_t now, int64_t future) {
  for (const ResourceAmount& item : spec.requests.items()) {
    // The amounts of an over-full node stay in the range that the kernels can compute with.
    int64_t& free_now = state_.now[item.resource][node];
    int64_t& free_future = state_.future[item.resource][node];
    free_now = take_amount(free_now, saturating_product(item.amount, now));
    free_future = take_amount(free_future, saturating_product(item.amount, future));
  }
}

void Snapshot::hold(const Cluster& cluster, PodId pod, NodeId node) {
  const PodSlot& slot = cluster.pods()[pod];
  bool leaving = slot.pod.status == PodStatus::Releasing && !stuck_.contains(pod.value);
  take(cluster.pod_classes()[slot.pod_class], node, 1, leaving ? 0 : 1);
}

// Holds the room of slots of workloads whose pods do not exist yet.
void Snapshot::hold_slots(const Cluster& cluster, NodeId node) {
  for (const SlotRow& row : workloads_.slots().of(node)) {
    SlotUse use = slot_use(cluster, node, row);
    take(cluster.pod_classes()[row.pod_class], node, std::max(row.count - use.now, 0),
         std::max(row.count - use.future, 0));
  }
}

// Assigns devices to running pods that share GPUs: by their groups where they name them, else first
// fit by name.
void Snapshot::assign_devices(const Cluster& cluster, NodeId id, std::vector<PodId> sharing) {
  const StringTable& strings = cluster.vocabulary().strings;
  uint32_t first = state_.first_device[id];
  size_t count = state_.first_device[NodeId(id.value + 1)] - first;
  std::sort(sharing.begin(), sharing.end(), [&](PodId a, PodId b) {
    const Pod& x = cluster.pods()[a].pod;
    const Pod& y = cluster.pods()[b].pod;
    bool named = !x.gpu_groups.empty();
    if (named != !y.gpu_groups.empty()) return named;
    return std::pair(x.name, strings.view(x.name_space)) <
           std::pair(y.name, strings.view(y.name_space));
  });
  std::map<std::string_view, size_t> groups;
  for (PodId pod : sharing) {
    for (StrId group : cluster.pods()[pod].pod.gpu_groups) groups.try_emplace(strings.view(group));
  }
  std::vector<bool> used(count, false);
  for (auto& [group, device] : groups) {
    device = device_of_group(group, used);
    if (device < count) used[device] = true;
  }

  for (PodId pod : sharing) {
    const PodSlot& slot = cluster.pods()[pod];
    const GpuShare& share = cluster.pod_classes()[slot.pod_class].gpu_share;
    int64_t portion = share_portion(share, cluster.nodes()[id]);
    GpuGrant grant;
    auto give = [&](size_t device) {
      if (device >= count) return;
      state_.device_now[first + device] -= portion;
      bool leaving = slot.pod.status == PodStatus::Releasing && !stuck_.contains(pod.value);
      if (!leaving) state_.device_future[first + device] -= portion;
      grant.push_back({static_cast<int32_t>(device), static_cast<int32_t>(portion)});
    };
    for (StrId group : slot.pod.gpu_groups) give(groups.at(strings.view(group)));
    for (size_t device = 0; device < count; ++device) {
      if (static_cast<int32_t>(grant.size()) >= share.devices) break;
      bool named = !slot.pod.gpu_groups.empty();
      if (!named && state_.device_now[first + device] >= portion) give(device);
    }
    grants_[pod.value] = grant;
  }
  for (size_t device = 0; device < count; ++device) {
    if (state_.device_now[first + device] < kWholeDevice) state_.now[kGpu][id] -= kWholeDevice;
    if (state_.device_future[first + device] < kWholeDevice) {
      state_.future[kGpu][id] -= kWholeDevice;
    }
  }
}

bool Snapshot::differs(NodeId node) const {
  for (uint32_t i = 0; i < state_.now.size(); ++i) {
    if (state_.now[ResourceId(i)][node] != state_.future[ResourceId(i)][node]) return true;
  }
  auto now = state_.devices(node, FitMode::Now);
  auto future = state_.devices(node, FitMode::Future);
  return !std::equal(now.begin(), now.end(), future.begin());
}

void Snapshot::recount_gang(const Cluster& cluster, GangId gang) {
  const std::vector<Subgroup>& subgroups = cluster.gangs()[gang].subgroups;
  std::vector<std::pair<StrId, int32_t>> by_name;
  for (size_t i = 0; i < subgroups.size(); ++i) {
    by_name.emplace_back(subgroups[i].name, static_cast<int32_t>(i));
  }
  std::sort(by_name.begin(), by_name.end());
  GangCounts counts;
  std::vector<GangCounts>& of_subgroup = subgroup_counts_[gang];
  of_subgroup.assign(subgroups.size(), {});
  auto count = [&](const PodSlot& slot, GangCounts& in) {
    PodStatus status = slot.pod.status;
    if (will_remain(status) || status == PodStatus::Succeeded) ++in.placed;
    if (status == PodStatus::Pending && hold_of(cluster, slot) == PodHold::None) ++in.waiting;
  };
  for (PodId pod : cluster.pods_of(gang)) {
    const PodSlot& slot = cluster.pods()[pod];
    const Pod& record = slot.pod;
    count(slot, counts);
    auto found = std::lower_bound(by_name.begin(), by_name.end(), std::pair(record.subgroup, 0));
    bool named = found != by_name.end() && found->first == record.subgroup;
    pod_keys_[pod].subgroup = named ? found->second : -1;
    if (named) count(slot, of_subgroup[static_cast<size_t>(found->second)]);
  }
  gang_counts_[gang] = counts;
  auto list = [&](IdSet<GangId>& gangs, bool in) { in ? gangs.insert(gang) : gangs.erase(gang); };
  const Gang& record = cluster.gangs()[gang];
  list(background_, cluster.alive(gang) && record.background);
  list(spared_, cluster.alive(gang) && record.spares > 0);
  list(timed_, cluster.alive(gang) && record.run_time_us != kNoTime);
  if (cluster.alive(gang) && !is_settled(cluster.gangs()[gang], gang)) {
    unsettled_.insert(gang);
  } else {
    unsettled_.erase(gang);
  }
}

bool Snapshot::is_settled(const Gang& record, GangId gang) const {
  const GangCounts& counts = gang_counts_[gang];
  return counts.waiting == 0 && record.stale_since == kNoTime &&
         has_minimum(record, counts, subgroup_counts_[gang]);
}

std::vector<GangId> Snapshot::unsettled_gangs() const {
  std::vector<GangId> gangs(unsettled_.ids().begin(), unsettled_.ids().end());
  gangs.insert(gangs.end(), worked_gangs_.begin(), worked_gangs_.end());
  sort_unique(gangs);
  return gangs;
}

void Snapshot::check_invariants(const Cluster& cluster) const {
  Snapshot fresh;
  fresh.resize(cluster);
  fresh.workloads_ = workloads_;
  fresh.stuck_ = stuck_;
  fresh.layout_devices(cluster, {});
  for (uint32_t i = 0; i < cluster.nodes().size(); ++i) fresh.rebuild_node(cluster, NodeId(i));
  require(fresh.state_.now == state_.now, "now is what the pods leave");
  require(fresh.state_.future == state_.future, "future is what staying pods leave");
  require(fresh.state_.device_now == state_.device_now, "devices now");
  require(fresh.state_.device_future == state_.device_future, "devices in future");
  require(fresh.leaving_nodes_ == leaving_nodes_, "nodes with something leaving");
  std::vector<GangId> unsettled = unsettled_gangs();
  for (GangId gang(0U); gang.value < cluster.gangs().size(); ++gang.value) {
    bool settled = !cluster.alive(gang) || is_settled(cluster.gangs()[gang], gang);
    require(settled || std::ranges::binary_search(unsettled, gang), "unsettled gangs are listed");
  }
  queues_.check_invariants(cluster);
  for (const TopologyTree& tree : trees_) tree.check_invariants();
}

}  // namespace trellis
