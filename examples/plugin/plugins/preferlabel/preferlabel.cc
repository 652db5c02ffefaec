#include "plugins/preferlabel/preferlabel.h"

#include "plugins/scores/score_magnitudes.h"

namespace trellis {

void PreferLabel::open(const View& view, Hooks& hooks) {
  PluginConfig config = view.config->plugin("preferlabel");
  view_ = &view;
  std::string key = config.argument("key");
  key_ = key.empty() ? StrId() : view.vocabulary->strings.find(key);
  value_ = config.argument("value");
  // Words that nothing in the input holds have no id; no node carries such a label.
  if (key_.valid()) hooks.node_scorers.push_back({this, name(), config.weight});
}

void PreferLabel::score(PodClassId /*pod_class*/, std::span<const NodeId> nodes, double weight,
                        std::span<double> out) const {
  const StringTable& strings = view_->vocabulary->strings;
  for (size_t i = 0; i < nodes.size(); ++i) {
    StrId found = find_label((*view_->nodes)[nodes[i]].labels, key_);
    bool carried = found.valid() && (value_.empty() || strings.view(found) == value_);
    if (carried) out[i] += weight * kAvailabilityScore;
  }
}

}  // namespace trellis
