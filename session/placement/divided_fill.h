// Fills nodes with pods that have preferences about how they are divided among them (plugins'
// PodDivider).
#pragma once

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/search_budget.h"

namespace trellis {

enum class DividedFill : uint8_t {
  NotAsked,  // none of the unit's pods has a preference
  Placed,
  NoRoom,   // proved: the group does not take all of them
  Unknown,  // another way to fill the group may place them
  Refused,  // not proved, and no other way would keep what the pods demand
};

// Whether the unit has pods with placement preferences.
bool has_preferences(const PlacementContext& context, const PlacementUnit& unit);

// Fills the group with all pods of the unit, or leaves the statement as it is. Preferences order
// what the unit's constraint leaves open: where the constraint divides the pods among parts of the
// group, they order each part. Cost: as the divider's; for pods with terms about each other
// O(nodes) a pod.
DividedFill fill_divided(PlacementContext& context, const PlacementUnit& unit,
                         const NodeGroup& group, std::span<const GroupPart> parts,
                         SearchBudget& budget);

}  // namespace trellis
