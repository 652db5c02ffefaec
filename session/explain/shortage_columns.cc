#include "session/explain/shortage_columns.h"

#include <algorithm>

#include "framework/gpu_share.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/left_out.h"
#include "session/fits/fit_kernels.h"

namespace trellis {

void PodColumn::count(ResourceAmount request, FitMode mode, const LeftOutNodes* left_out) {
  const NodeState::Column& free = session_.snapshot().state().columns(mode)[request.resource];
  std::vector<int32_t> counts(free.size(), kMostPodsPerNode);
  lower_to_fit(free.span(), request.amount, counts);
  std::span<const NodeId> order = tree_.node_order();
  sums_.resize(order.size() + 1);
  int64_t sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    sums_[i] = sum;
    bool counts_too = left_out == nullptr || left_out->is_usable(order[i]);
    sum += counts_too ? counts[order[i].value] : 0;
  }
  sums_[order.size()] = sum;
}

void AmountColumn::sum_up(ResourceId resource, FitMode mode) {
  const NodeState::Column& free = session_.snapshot().state().columns(mode)[resource];
  std::span<const NodeId> order = tree_.node_order();
  sums_.resize(order.size() + 1);
  int64_t sum = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    sums_[i] = sum;
    sum = add_to_sum(sum, std::max<int64_t>(0, free[order[i]]));
  }
  sums_[order.size()] = sum;
}

std::optional<Shortage> narrowest_resource(Session& session, const NodesAsked& asked) {
  const auto& free = session.snapshot().state().columns(asked.mode);
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  std::span<const ResourceAmount> requests =
      session.cluster().pod_classes()[asked.pod_class].requests.items();
  std::vector<int64_t> narrow(requests.size(), 0);  // nodes that run out of it first
  int64_t pods = 0;
  for (NodeId node : asked.nodes) {
    int32_t least = kMostPodsPerNode;
    for (const ResourceAmount& item : requests) {
      least = fit_count(free[item.resource][node], item.amount, least);
    }
    for (size_t i = 0; i < requests.size(); ++i) {
      int32_t own =
          fit_count(free[requests[i].resource][node], requests[i].amount, kMostPodsPerNode);
      narrow[i] += own == least ? 1 : 0;
    }
    pods += least;
  }
  if (pods >= asked.needed || requests.empty()) return std::nullopt;
  size_t worst = 0;
  for (size_t i = 1; i < requests.size(); ++i) {
    bool first_by_name =
        resources.name(requests[i].resource) < resources.name(requests[worst].resource);
    if (narrow[i] > narrow[worst] || (narrow[i] == narrow[worst] && first_by_name)) worst = i;
  }
  return Shortage{requests[worst].resource, (asked.needed - pods) * requests[worst].amount};
}

std::optional<Shortage> shared_gpu_shortage(Session& session, const NodesAsked& asked) {
  const GpuShare& share = session.cluster().pod_classes()[asked.pod_class].gpu_share;
  if (!share.active()) return std::nullopt;
  int64_t portion = 0;
  int64_t pods = 0;
  for (NodeId node : asked.nodes) {
    if (session.fits().class_verdict(asked.pod_class, node) != ReasonCode::None) continue;
    pods += session.fits().node_fit(node, asked.pod_class, asked.mode);
    if (portion == 0) portion = share_portion(share, session.cluster().nodes()[node]);
  }
  if (pods >= asked.needed || portion <= 0 || portion > kMilli) return std::nullopt;
  return Shortage{kGpu, (asked.needed - pods) * portion * share.devices};
}

}  // namespace trellis
