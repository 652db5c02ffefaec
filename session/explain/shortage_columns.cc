#include "session/explain/shortage_columns.h"

#include <algorithm>

#include "framework/gpu_share.h"
#include "session/explain/demand_explanation.h"
#include "session/fits/fit_kernels.h"

namespace trellis {

void PodColumn::count(ResourceAmount request) {
  const NodeState::Column& free = session_.snapshot().state().now[request.resource];
  std::vector<int32_t> counts(free.size(), kMostPodsPerNode);
  lower_to_fit(free.span(), request.amount, counts);
  std::span<const NodeId> order = tree_.node_order();
  sums_.resize(order.size() + 1);
  int64_t sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    sums_[i] = sum;
    sum += counts[order[i].value];
  }
  sums_[order.size()] = sum;
}

void AmountColumn::sum_up(ResourceId resource) {
  const NodeState::Column& free = session_.snapshot().state().now[resource];
  std::span<const NodeId> order = tree_.node_order();
  sums_.resize(order.size() + 1);
  int64_t sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    sums_[i] = sum;
    sum = add_to_sum(sum, std::max<int64_t>(0, free[order[i]]));
  }
  sums_[order.size()] = sum;
}

std::optional<Shortage> narrowest_resource(Session& session, PodClassId pod_class,
                                           std::span<const NodeId> nodes, int64_t needed) {
  const auto& now = session.snapshot().state().now;
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  std::span<const ResourceAmount> requests =
      session.cluster().pod_classes()[pod_class].requests.items();
  std::vector<int64_t> narrow(requests.size(), 0);  // nodes that run out of it first
  int64_t pods = 0;
  for (NodeId node : nodes) {
    int32_t least = kMostPodsPerNode;
    for (const ResourceAmount& item : requests) {
      least = fit_count(now[item.resource][node], item.amount, least);
    }
    for (size_t i = 0; i < requests.size(); ++i) {
      int32_t own =
          fit_count(now[requests[i].resource][node], requests[i].amount, kMostPodsPerNode);
      narrow[i] += own == least ? 1 : 0;
    }
    pods += least;
  }
  if (pods >= needed || requests.empty()) return std::nullopt;
  size_t worst = 0;
  for (size_t i = 1; i < requests.size(); ++i) {
    bool first_by_name =
        resources.name(requests[i].resource) < resources.name(requests[worst].resource);
    if (narrow[i] > narrow[worst] || (narrow[i] == narrow[worst] && first_by_name)) worst = i;
  }
  return Shortage{requests[worst].resource, (needed - pods) * requests[worst].amount};
}

std::optional<Shortage> shared_gpu_shortage(Session& session, PodClassId pod_class,
                                            std::span<const NodeId> nodes, int64_t needed) {
  const GpuShare& share = session.cluster().pod_classes()[pod_class].gpu_share;
  if (!share.active()) return std::nullopt;
  int64_t portion = 0;
  int64_t pods = 0;
  for (NodeId node : nodes) {
    if (session.fits().class_verdict(pod_class, node) != ReasonCode::None) continue;
    pods += session.fits().node_fit(node, pod_class, FitMode::Now);
    if (portion == 0) portion = share_portion(share, session.cluster().nodes()[node]);
  }
  if (pods >= needed || portion <= 0 || portion > kMilli) return std::nullopt;
  return Shortage{kGpu, (needed - pods) * portion * share.devices};
}

}  // namespace trellis
