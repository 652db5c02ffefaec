#include "plugins/resourcetype/resourcetype.h"

#include "plugins/score_magnitudes.h"

namespace trellis {

void ResourceType::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.node_scorers.push_back({this, name(), view.config->plugin("resourcetype").weight});
}

void ResourceType::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                         std::span<double> out) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  bool wants_gpu =
      spec.gpu_share.active() || spec.requests.get(kGpu) > 0 || spec.requests.get(kAmdGpu) > 0;
  if (wants_gpu) return;
  const auto& allocatable = view_->state->allocatable;
  for (size_t i = 0; i < nodes.size(); ++i) {
    bool has_gpu = allocatable[kGpu][nodes[i]] > 0 || allocatable[kAmdGpu][nodes[i]] > 0;
    if (!has_gpu) out[i] += weight * kResourceTypeScore;
  }
}

}  // namespace trellis
