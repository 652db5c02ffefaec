// Where the pods of a placed gang are, and why there.
//
// Why is judged like the rest of an explanation: on the cluster as the last cycle left it, without
// the decisions of that cycle about the gang. Cost: O(pods of the gang + candidate domains).
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/gang_explanation.h"
#include "session/record/record.h"

namespace trellis {

enum class StandReason : uint8_t {
  Stays,        // its pods stood there before the cycle
  Joins,        // some of them did
  Preferences,  // its placement preferences divide it
  Scores,       // no level is asked for: each pod went to the node with the best score
  OnlyOne,      // no other domain of the level takes the pods
  LeastRoom,    // of those that take them it keeps least room for more
  MostRoom,     // of those that take them it keeps most
  OneOfSeveral,
  Divided,  // no domain of the preferred level takes all
};

struct StandingNode {
  NodeId node;
  int64_t pods = 0;
};

struct PartStand {
  uint32_t part = 0;                // of GangExplanation::parts
  DomainRef domain;                 // holds all its pods, no deeper than the level that it asks for
  std::vector<StandingNode> nodes;  // by name
  int64_t pods = 0;
  StandReason why = StandReason::Scores;
  int level = -1;       // that it asks for: the preferred, else the required one
  int64_t domains = 0;  // of that level
  int64_t able = 0;     // those that take the pods
  int64_t used = 0;     // those that hold some
  DomainRef best;       // Divided: the one that takes most
  int64_t most = 0;     // that it takes
};

// Of each part that has pods with a node. `session` is the one that the explanation was made in.
std::vector<PartStand> where_it_stands(Session& session, const CycleRecord& record, GangId gang,
                                       const GangExplanation& explanation);

}  // namespace trellis
