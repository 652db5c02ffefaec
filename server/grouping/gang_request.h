// The request for a gang, or for a part of it, merged from all objects that specify it: the first
// value wins.
#pragma once

#include <optional>

#include "server/objects/records.h"

namespace trellis {

// Topology levels and segments.
struct StructureRequest {
  PlacedConstraint topology;
  StructureKeys structure;

  // Levels of another topology than the chosen one are ignored. Segments are requested in one way:
  // key by key, or as several layers at once.
  void add(const GangKeys& more);
};

struct GangRequest {
  StrId queue;
  StrId priority_class;
  Preemptibility preemptibility = Preemptibility::Unset;
  std::optional<bool> movable;
  std::optional<bool> background;
  StrId near;
  std::optional<int32_t> spares;
  StructureRequest structure;
  PreferenceKeys preferences;

  void add(const GangKeys& more);  // all but the structure
};

}  // namespace trellis
