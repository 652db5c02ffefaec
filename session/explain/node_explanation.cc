#include "session/explain/node_explanation.h"

#include <algorithm>

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
        room.reasons = refusals_of(session, row.pod_class, node, first);
      }
      explanation.pending.push_back(std::move(room));
    }
  }
  return explanation;
}

}  // namespace trellis
