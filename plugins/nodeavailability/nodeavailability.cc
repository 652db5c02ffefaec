#include "plugins/nodeavailability/nodeavailability.h"

#include "plugins/scores/score_magnitudes.h"

namespace trellis {

void NodeAvailability::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.node_scorers.push_back({this, name(), view.config->plugin("nodeavailability").weight});
}

void NodeAvailability::score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
                             std::span<double> out) const {
  auto requests = (*view_->pod_classes)[pod_class].requests.items();
  for (size_t i = 0; i < nodes.size(); ++i) {
    bool now = true;
    for (const ResourceAmount& item : requests) {
      now = now && view_->state->now[item.resource][nodes[i]] >= item.amount;
    }
    if (now) out[i] += weight * kAvailabilityScore;
  }
}

}  // namespace trellis
