#include "framework/topology_levels.h"

namespace trellis {

ResolvedLevels resolve_levels(const Topology& topology, const TopologyConstraint& constraint,
                              const StringTable& strings) {
  ResolvedLevels levels;
  auto resolve = [&](StrId word, int& level) {
    if (!word.valid()) return;
    if (auto found = find_level(topology, strings.view(word), strings)) {
      level = *found;
    } else if (levels.error == ReasonCode::None) {
      levels.error = ReasonCode::LevelUnknown;
      levels.subject = word;
    }
  };
  resolve(constraint.required, levels.required);
  resolve(constraint.preferred, levels.preferred);
  if (levels.error == ReasonCode::None && levels.preferred >= 0 &&
      levels.preferred < levels.required) {
    levels.error = ReasonCode::LevelOrder;
    levels.subject = constraint.preferred;
  }
  return levels;
}

}  // namespace trellis
