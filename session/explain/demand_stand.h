// Where the pods of a placed demand are, and why there; and how its preferences divide its pods.
//
// The reason is judged like the rest of an explanation: on the cluster as the last cycle left it,
// without the decisions of that cycle about the demand. Cost: O(its pods + candidate domains).
#pragma once

#include <cstdint>
#include <vector>

#include "framework/plugin.h"
#include "session/cycle/session.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/workload_explanation.h"
#include "session/record/record.h"

namespace trellis {

enum class StandReason : uint8_t {
  Stays,        // its pods were there before the cycle
  Joins,        // some of its pods were there before the cycle
  Preferences,  // its placement preferences divide it
  Scores,       // no level is requested: each pod is on the node with the best score
  Open,         // a workload's: no level is requested
  OnlyOne,      // no other domain of the level takes the pods
  LeastRoom,    // of the domains that take the pods, it keeps least room for more
  MostRoom,     // of the domains that take the pods, it keeps most room for more
  OneOfSeveral,
  Divided,  // no domain of the preferred level takes all
};

// Which pods chose the domain, where more wait than had to be placed together.
enum class ChosenBy : uint8_t {
  NotAsked,    // no others wait
  All,         // all pods that the part has or may get
  Minimum,     // no domain takes all of them
  MinimumHere  // a domain takes all of them, but the pods are not in it
};

struct PartStand {
  const DemandPart* part = nullptr;  // of the explanation
  std::vector<StrId> pod_sets;       // whose pods these are; none: a gang's
  DomainRef domain;                  // holds all its pods, no deeper than the requested level
  std::vector<NodePods> nodes;       // by name; none where a workload has only domains
  int64_t pods = 0;
  StandReason why = StandReason::Scores;
  int level = -1;       // the requested one: the preferred, else the required
  int64_t domains = 0;  // of that level
  int64_t able = 0;     // domains that take the pods
  int64_t used = 0;     // domains that hold some pods
  DomainRef best;       // Divided: the domain that takes most
  int64_t most = 0;     // pods that `best` takes
  ChosenBy chosen_by = ChosenBy::NotAsked;
  int64_t all_pods = 0;     // Minimum: that the part has or may get
  int required_level = -1;  // -1: anywhere
};

// One entry for each part that has pods with a node. `session` is the one that the explanation was
// made in, and the explanation must outlive the result.
std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, GangId gang,
                                       const DemandExplanation& explanation);

// The same for each party of a workload that is admitted to domains with all its pods.
std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record,
                                       WorkloadId workload, const WorkloadExplanation& explanation);

// The domain of each entry of an assignment; kNone: it is gone.
std::vector<DomainId> assigned_leaves(const Session& session, TopologyId topology,
                                      const TopologyAssignment& assignment);

}  // namespace trellis
