// A gang's topology constraint, resolved against the topology that it names.
#pragma once

#include "framework/reason.h"
#include "framework/topology.h"

namespace trellis {

struct ResolvedLevels {
  int required = -1;                    // index of the level; -1: none requested
  int preferred = -1;                   // at or below `required`
  ReasonCode error = ReasonCode::None;  // LevelUnknown, LevelOrder
  StrId subject;                        // the name that is wrong
};

ResolvedLevels resolve_levels(const Topology& topology, const TopologyConstraint& constraint,
                              const StringTable& strings);

}  // namespace trellis
