#include "session/explain/room.h"

#include <algorithm>
#include <utility>

#include "framework/gpu_share.h"
#include "session/fits/fit_kernels.h"

namespace trellis {
namespace {

// Free parts of devices that are shared, in thousandths.
int64_t shared_rest(const NodeState& state, NodeId node, FitMode mode) {
  int64_t rest = 0;
  for (int64_t left : state.devices(node, mode)) {
    if (left < kMilli) rest += std::max<int64_t>(0, left);
  }
  return rest;
}

IndexedVector<NodeId, uint8_t> marks(const Cluster& cluster, std::span<const NodeId> nodes) {
  IndexedVector<NodeId, uint8_t> marked(cluster.nodes().size());
  for (NodeId node : nodes) marked[node] = 1;
  return marked;
}

bool is_there(const Session& session, PodId pod) {
  PodState state = session.snapshot().pod(pod);
  return state.node.valid() && (occupies_node(state.status) || will_remain(state.status));
}

}  // namespace

bool is_mere_bound(const Node& node, ResourceId resource) {
  return !node.by_devices.empty() && !ResourceTable::is_gpu(resource) &&
         std::ranges::binary_search(node.by_devices, resource);
}

int64_t free_amount(const NodeState& state, ResourceId resource, NodeId node, FitMode mode) {
  int64_t free = std::max<int64_t>(0, state.columns(mode)[resource][node]);
  return resource == kGpu ? free + shared_rest(state, node, mode) : free;
}

std::vector<ResourceRoom> room_on(const Session& session, std::span<const NodeId> nodes) {
  const NodeState& state = session.snapshot().state();
  std::vector<ResourceRoom> rooms;
  for (uint32_t i = 0; i < state.now.size(); ++i) {
    ResourceRoom room{.resource = ResourceId(i)};
    for (NodeId node : nodes) {
      const Node& record = session.cluster().nodes()[node];
      if (is_mere_bound(record, room.resource)) continue;
      auto add = [](int64_t& sum, int64_t amount) { sum = add_to_sum(sum, amount); };
      add(room.allocatable, state.allocatable[room.resource][node]);
      int64_t now = free_amount(state, room.resource, node, FitMode::Now);
      if (is_closed(record)) {
        add(room.unavailable, now);
        continue;
      }
      add(room.now, now);
      add(room.later, free_amount(state, room.resource, node, FitMode::Future));
    }
    if (room.allocatable > 0) rooms.push_back(room);
  }
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  std::sort(rooms.begin(), rooms.end(), [&](const ResourceRoom& a, const ResourceRoom& b) {
    return resources.name(a.resource) < resources.name(b.resource);
  });
  return rooms;
}

ResourceList held_by(const Session& session, PodId pod) {
  const Cluster& cluster = session.cluster();
  ResourceList held = cluster.pod_classes()[cluster.pods()[pod].pod_class].requests;
  for (const GpuPart& part : session.snapshot().grant(pod)) held.add(kGpu, part.portion_milli);
  return held;
}

std::vector<Holding> holdings_on(const Session& session, std::span<const NodeId> nodes) {
  const Cluster& cluster = session.cluster();
  IndexedVector<NodeId, uint8_t> asked = marks(cluster, nodes);
  std::vector<Holding> holdings;
  for (GangId gang : cluster.gangs_by_name()) {
    Holding holding{.gang = gang};
    for (PodId pod : cluster.pods_of(gang)) {
      if (!is_there(session, pod)) continue;
      ++holding.all_pods;
      if (asked[session.snapshot().pod(pod).node] == 0) continue;
      ++holding.pods;
      holding.holds.add(held_by(session, pod));
    }
    if (holding.pods > 0) holdings.push_back(std::move(holding));
  }
  return holdings;
}

std::vector<Holding> slots_on(const Session& session, std::span<const NodeId> nodes) {
  const Cluster& cluster = session.cluster();
  const AssignedSlots& slots = session.snapshot().workloads().slots();
  IndexedVector<NodeId, uint8_t> asked = marks(cluster, nodes);
  std::vector<Holding> holdings;
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    Holding holding{.workload = id};
    auto add = [&](PodClassId pod_class, NodeId node, int32_t pods) {
      if (asked[node] == 0) return;
      holding.pods += pods;
      for (const ResourceAmount& item : cluster.pod_classes()[pod_class].requests.items()) {
        holding.holds.add(item.resource, saturating_product(item.amount, pods));
      }
    };
    for (NodeId node : slots.nodes(id)) {
      for (const SlotRow& row : slots.of(node)) {
        if (row.workload == id) add(row.pod_class, node, row.count);
      }
    }
    for (const SlotFill& fill : session.loose_slots(id)) add(fill.pod_class, fill.node, fill.count);
    if (holding.pods > 0) holdings.push_back(std::move(holding));
  }
  return holdings;
}

ResourceList asked_by(const PodSpec& spec) {
  ResourceList asks = spec.requests;
  if (!spec.gpu_share.active()) return asks;
  int64_t portion = spec.gpu_share.portion_milli > 0 ? spec.gpu_share.portion_milli : kMilli;
  asks.add(kGpu, portion * spec.gpu_share.devices);
  return asks;
}

EmptyNodes::EmptyNodes(Session& session, PodClassId pod_class)
    : session_(session), pod_class_(pod_class), spec_(session.cluster().pod_classes()[pod_class]) {}

int64_t EmptyNodes::fit(NodeId node) {
  if (session_.fits().class_verdict(pod_class_, node) != ReasonCode::None) return 0;
  const NodeState& state = session_.snapshot().state();
  bool empty = state.now[kPods][node] == state.allocatable[kPods][node];
  if (empty) return session_.fits().node_fit(node, pod_class_, FitMode::Now);
  return by_resources(node);
}

int64_t EmptyNodes::by_resources(NodeId node) const {
  const auto& allocatable = session_.snapshot().state().allocatable;
  int32_t fit = kMostPodsPerNode;
  for (const ResourceAmount& item : spec_.requests.items()) {
    fit = fit_count(allocatable[item.resource][node], item.amount, fit);
  }
  if (!spec_.gpu_share.active()) return fit;
  int64_t portion = share_portion(spec_.gpu_share, session_.cluster().nodes()[node]);
  if (portion <= 0 || portion > kMilli) return 0;
  int64_t devices = allocatable[kGpu][node] / kMilli;
  if (devices < spec_.gpu_share.devices) return 0;
  return std::min<int64_t>(fit, kMilli / portion * devices / spec_.gpu_share.devices);
}

}  // namespace trellis
