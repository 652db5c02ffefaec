#include "plugins/resourcetype/resourcetype.h"

#include "plugins/scores/score_magnitudes.h"

namespace trellis {

void ResourceType::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.node_scorers.push_back({this, name(), view.config->plugin("resourcetype").weight});
}

bool ResourceType::tells_apart(PodClassId pod_class, FitMode) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  return !spec.gpu_share.active() && spec.requests.get(kGpu) == 0 &&
         spec.requests.get(kAmdGpu) == 0;
}

void ResourceType::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                         std::span<double> out) const {
  if (!tells_apart(pod_class, FitMode::Now)) return;
  const auto& allocatable = view_->state->allocatable;
  for (size_t i = 0; i < nodes.size(); ++i) {
    bool has_gpu = allocatable[kGpu][nodes[i]] > 0 || allocatable[kAmdGpu][nodes[i]] > 0;
    if (!has_gpu) out[i] += weight * kResourceTypeScore;
  }
}

}  // namespace trellis
