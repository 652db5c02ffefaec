// What all that speak for a gang, or for a part of it, say together: the first word wins.
#pragma once

#include "server/objects/records.h"

namespace trellis {

// Topology levels and segments.
struct StructureRequest {
  PlacedConstraint topology;
  StructureKeys structure;

  // Levels of another topology than the one that was chosen mean nothing in it. Segments are asked
  // for in one way: word by word, or as several layers at once.
  void add(const GangKeys& more);
};

struct GangRequest {
  StrId queue;
  StrId priority_class;
  Preemptibility preemptibility = Preemptibility::Unset;
  StructureRequest structure;
  PreferenceKeys preferences;

  void add(const GangKeys& more);  // but for structure
};

}  // namespace trellis
