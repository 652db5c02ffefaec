// The division of a gang's pods by its own preferences: the groups of nodes, with what runs in each
// and what it gets.
//
// It is computed as in gang_explanation.h, over the whole cluster.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/plugin.h"
#include "session/cycle/session.h"

namespace trellis {

struct PlacementGroups {
  PodClassId pod_class;
  int64_t pods = 0;                  // of that class, that wait
  std::vector<DividedGroup> groups;  // parents before their children
};

// By class, in the order of the gang's pods; empty where they have no preferences. For a gang
// without waiting pods: the class of its first pod.
std::vector<PlacementGroups> placement_groups(Session& session, GangId gang);

}  // namespace trellis
