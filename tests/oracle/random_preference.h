// A placement preference for the oracles of workloads.
#pragma once

#include "framework/pod.h"
#include "tests/support/random.h"

namespace trellis::test {

// To spread or to pack, over nodes or over the values of `label`.
inline PlacementPreference random_preference(Random& random, StrId label) {
  using Way = PlacementPreference::Way;
  PlacementPreference preference;
  preference.way = random.chance(50) ? Way::Spread : Way::Pack;
  preference.over = PlacementPreference::Over::Node;
  if (random.chance(50)) {
    preference.over = PlacementPreference::Over::Label;
    preference.label = label;
  }
  return preference;
}

}  // namespace trellis::test
