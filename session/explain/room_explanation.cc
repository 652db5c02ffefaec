#include "session/explain/room_explanation.h"

#include <algorithm>

#include "session/explain/topology_report.h"

namespace trellis {
namespace {

std::vector<DomainRef> domains_of(const Session& session, NodeId node) {
  const auto& topologies = session.cluster().topologies();
  std::vector<DomainRef> domains;
  for (uint32_t i = 0; i < topologies.size(); ++i) {
    TopologyId topology(i);
    domains.push_back({topology, session.snapshot().trees()[topology].domain_of(node)});
  }
  std::sort(domains.begin(), domains.end(), [&](const DomainRef& a, const DomainRef& b) {
    return topologies[a.topology].name < topologies[b.topology].name;
  });
  return domains;
}

std::vector<DeviceRoom> devices_of(const NodeState& state, NodeId node) {
  std::span<const int64_t> now = state.devices(node, FitMode::Now);
  std::span<const int64_t> later = state.devices(node, FitMode::Future);
  std::vector<DeviceRoom> devices;
  bool any_shared = false;
  for (size_t i = 0; i < now.size(); ++i) {
    bool shared = now[i] < kMilli || later[i] < kMilli;
    any_shared = any_shared || shared;
    devices.push_back({now[i], later[i], shared});
  }
  if (!any_shared) devices.clear();
  return devices;
}

std::vector<PodHolding> pods_on(const Session& session, NodeId node) {
  std::vector<PodHolding> pods;
  for (PodId pod : session.cluster().pods_by_name()) {
    PodState state = session.snapshot().pod(pod);
    if (state.node != node || !(occupies_node(state.status) || will_remain(state.status))) continue;
    pods.push_back({pod, held_by(session, pod)});
  }
  return pods;
}

}  // namespace

NodeExplanation explain_node(Session& session, NodeId node) {
  NodeExplanation explanation;
  explanation.node = node;
  explanation.domains = domains_of(session, node);
  explanation.resources = room_on(session, {&node, 1});
  explanation.devices = devices_of(session.snapshot().state(), node);
  if (const DeviceAllocator* allocator = session.hooks().device_allocator; allocator != nullptr) {
    explanation.of_drivers = allocator->devices_near(node);
  }
  explanation.pods = pods_on(session, node);
  explanation.gangs = holdings_on(session, {&node, 1});
  explanation.shapes = pending_shapes(session);
  for (uint32_t i = 0; i < explanation.shapes.size(); ++i) {
    for (const AskedRow& row : explanation.shapes[i].rows) {
      PodRoom room{.shape = i, .pod_class = row.pod_class};
      room.now = session.fits().node_fit(node, row.pod_class, FitMode::Now);
      room.later = session.fits().node_fit(node, row.pod_class, FitMode::Future);
      if (room.now == 0) {
        PodId first = row.waiting.empty() ? PodId() : row.waiting.front();
        room.reasons = refusals_of(session, row.pod_class, FitMode::Now, node, first);
      }
      explanation.pending.push_back(std::move(room));
    }
  }
  return explanation;
}

namespace {

// The level whose domains a gang of this shape may not leave; that of `domain` when it may leave
// that one too, or when the shape is bound to another topology.
int binding_level(const Session& session, const PendingShape& shape, DomainRef domain) {
  int own = session.snapshot().trees()[domain.topology].level_of(domain.domain);
  PartLevels levels = levels_of(session.cluster(), shape.topology);
  return levels.topology == domain.topology ? std::max(own, levels.required) : own;
}

struct Taken {
  int64_t pods = 0;
  int64_t gangs = 0;
};

Taken count_gangs(Session& session, const PendingShape& shape, DomainRef domain, FitMode mode) {
  const TopologyTree& tree = session.snapshot().trees()[domain.topology];
  IdRange range = tree.descendants(domain.domain, binding_level(session, shape, domain));
  std::vector<int64_t> gangs(range.size(), INT64_MAX);
  Taken taken{INT64_MAX, 0};
  for (const AskedRow& row : shape.rows) {
    const DomainCounts& counts = session.fits().domain_counts(domain.topology, row.pod_class, mode);
    taken.pods = std::min(taken.pods, counts[domain.domain]);
    for (uint32_t id = range.first; id < range.last; ++id) {
      int64_t& least = gangs[id - range.first];
      least = std::min(least, counts[DomainId(id)] / std::max<int64_t>(1, row.pods));
    }
  }
  for (int64_t count : gangs) taken.gangs += count;
  return shape.rows.empty() ? Taken{} : taken;
}

}  // namespace

DomainExplanation explain_domain(Session& session, TopologyId topology, DomainId domain) {
  const TopologyTree& tree = session.snapshot().trees()[topology];
  DomainExplanation explanation;
  explanation.domain = {topology, domain};
  explanation.nodes = tree.node_range(domain).size();
  explanation.resources = room_on(session, tree.nodes(domain));
  explanation.measure = kCpu;
  for (const ResourceRoom& room : explanation.resources) {
    if (ResourceTable::is_gpu(room.resource)) explanation.measure = room.resource;
  }
  IdRange children = tree.children(domain);
  for (uint32_t id = children.first; id < children.last; ++id) {
    ChildRoom child{.domain = DomainId(id), .nodes = tree.node_range(DomainId(id)).size()};
    for (NodeId node : tree.nodes(DomainId(id))) {
      NodeUsage usage = measure_usage(session, explanation.measure, node);
      child.allocatable += usage.available + usage.unavailable + usage.allocated;
      child.now += usage.available;
      child.unavailable += usage.unavailable;
    }
    explanation.children.push_back(child);
  }
  explanation.gangs = holdings_on(session, tree.nodes(domain));
  explanation.shapes = pending_shapes(session);
  for (const PendingShape& shape : explanation.shapes) {
    Taken now = count_gangs(session, shape, explanation.domain, FitMode::Now);
    Taken later = count_gangs(session, shape, explanation.domain, FitMode::Future);
    explanation.pending.push_back({now.pods, later.pods, now.gangs, later.gangs});
  }
  return explanation;
}

}  // namespace trellis
