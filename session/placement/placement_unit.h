// A gang's pods as units: pods that share a topology constraint, inside the units above them.
//
// Words: a unit is the gang, a subgroup that has a constraint of its own, or a segment. Subgroups
// without one are no units: their pods are pods of the unit above. Units stand parents first; unit
// 0 is the gang.
// Cost: O(pods of the gang) where it has structure or pods with a node, else O(pods to place).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/gang.h"
#include "session/placement/gang_rows.h"
#include "session/session.h"

namespace trellis {

struct PlacementUnit {
  int32_t parent = -1;    // index of its unit; -1: none
  int32_t subgroup = -1;  // that it stands for; -1: the gang
  TopologyConstraint constraint;
  bool balanced = false;
  std::vector<SegmentLayer> segments;  // not made units of their own: one row, nothing placed
  std::vector<RowPods> rows;           // pods of this unit and of none below it
  std::vector<NodeId> placed;          // nodes of the pods in it and below that have one
};

// What to place of one leaf: of its waiting pods, in order.
struct LeafPods {
  int32_t subgroup = -1;
  std::vector<RowPods> rows;
};

enum class SegmentForm : uint8_t {
  Counted,  // segments stay with their unit where its pods are equal and none is placed
  Units,    // each segment is a unit
};

// Whether a unit is `above` or stands somewhere below it.
bool is_below(std::span<const PlacementUnit> units, size_t unit, size_t above);

std::vector<PlacementUnit> make_units(const Session& session, GangId gang,
                                      std::span<const LeafPods> leaves, SegmentForm form);

}  // namespace trellis
