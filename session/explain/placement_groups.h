// The division of a demand's pods by their own preferences: the groups of nodes, with what runs in
// each and what it gets.
//
// It is computed as in demand_explanation.h, over the whole cluster.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/cycle/session.h"
#include "session/explain/demand_part.h"

namespace trellis {

struct PlacementGroups {
  PodClassId pod_class;
  int64_t pods = 0;                  // of that class, to place
  std::vector<DividedGroup> groups;  // parents before their children
};

// By row; none of rows without preferences.
std::vector<PlacementGroups> placement_groups(Session& session, std::span<const AskedRow> rows,
                                              FitMode mode);

// Of a gang's waiting pods; without any: of the class of its first pod.
std::vector<PlacementGroups> placement_groups(Session& session, GangId gang);

}  // namespace trellis
