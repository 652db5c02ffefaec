#include "session/explain/empty_nodes.h"

#include <algorithm>

#include "framework/gpu_share.h"
#include "session/fits/fit_kernels.h"

namespace trellis {

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
