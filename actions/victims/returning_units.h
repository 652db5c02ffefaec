// Which victims may also stay where they are, when all others move: a search in which every victim
// has to have a place may put these back.
//
// A node may refuse the pods that it has: it was cordoned since, it has been removed, or its pods
// exceed it.
#pragma once

#include <span>
#include <vector>

#include "actions/victims/victim_pool.h"
#include "actions/victims/victim_set.h"
#include "session/cycle/session.h"

namespace trellis {

struct ReturningUnits {
  std::vector<VictimUnit> units;  // that their nodes take again, all together
  bool all_that_help = true;      // nothing else that leaves is room for any pod of the search
};

// Changes nothing. Cost: O(pods), and for the others O(classes) each.
ReturningUnits returning_units(Session& session, const MoveRequest& request,
                               std::span<const VictimUnit> units);

}  // namespace trellis
