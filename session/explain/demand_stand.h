// Where the pods of a placed gang are, and why there; and how its preferences divide its pods.
//
// The reason is judged like the rest of an explanation: on the cluster as the last cycle left it,
// without the decisions of that cycle about the gang. Cost: O(pods of the gang + candidate
// domains).
#pragma once

#include <cstdint>
#include <vector>

#include "framework/placement_preference.h"
#include "framework/plugin.h"
#include "session/cycle/session.h"
#include "session/explain/demand_explanation.h"
#include "session/record/record.h"

namespace trellis {

enum class StandReason : uint8_t {
  Stays,        // its pods were there before the cycle
  Joins,        // some of its pods were there before the cycle
  Preferences,  // its placement preferences divide it
  Scores,       // no level is requested: each pod is on the node with the best score
  OnlyOne,      // no other domain of the level takes the pods
  LeastRoom,    // of the domains that take the pods, it keeps least room for more
  MostRoom,     // of the domains that take the pods, it keeps most room for more
  OneOfSeveral,
  Divided,  // no domain of the preferred level takes all
};

struct PartStand {
  uint32_t part = 0;            // of DemandExplanation::parts
  DomainRef domain;             // holds all its pods, no deeper than the requested level
  std::vector<NodePods> nodes;  // by name
  int64_t pods = 0;
  StandReason why = StandReason::Scores;
  int level = -1;       // the requested one: the preferred, else the required
  int64_t domains = 0;  // of that level
  int64_t able = 0;     // domains that take the pods
  int64_t used = 0;     // domains that hold some pods
  DomainRef best;       // Divided: the domain that takes most
  int64_t most = 0;     // pods that `best` takes
};

// One entry for each part that has pods with a node. `session` is the one that the explanation was
// made in.
std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, GangId gang,
                                       const DemandExplanation& explanation);

// The division of a gang's pods by its own preferences: the groups of nodes, with what runs in each
// and what it gets.
//
// It is computed as in demand_explanation.h, over the whole cluster.
struct PlacementGroups {
  PodClassId pod_class;
  int64_t pods = 0;                  // of that class, that wait
  std::vector<DividedGroup> groups;  // parents before their children
};

// By class, in the order of the gang's pods; empty where they have no preferences. For a gang
// without waiting pods: the class of its first pod.
std::vector<PlacementGroups> placement_groups(Session& session, GangId gang);

}  // namespace trellis
