// A plan of moves that enlarge the room: few moves, much gain.
//
// Step by step it takes the set with the largest gain for each gang that moves; of equal sets that
// with the fewest GPUs. Each gang is tried alone; sets are gangs on one node or in one domain, and
// of a few movable gangs any of them. At last moves that the others do without are given up.
// Words: *gain* is how much the worth of the room grows (room_gauge.h).
// Guarantees: every set gains, and at least `min_gain` for each GPU that moves, so that a second
// plan on the same cluster never moves back what the first has moved; in the order of the moves
// each new place is free once the gangs before it, and those of its own set, have left. No gang
// moves twice, PodDisruptionBudgets allow all moves together.
// Cost: kMostTrials trials, each some searches and O(nodes that it touches x kinds); once O(pods +
// (nodes + domains) x kinds).
#pragma once

#include <cstdint>
#include <vector>

#include "actions/defragmentation/movable_gangs.h"
#include "actions/defragmentation/move_sets.h"
#include "actions/defragmentation/room_gauge.h"
#include "actions/victims/disruption_limits.h"
#include "session/cycle/session.h"

namespace trellis {

struct PlanLimits {
  int64_t moved_milli = 0;  // GPUs that may move
  double min_gain = 0;
};

struct MovePlan {
  MovableGangs movable;
  std::vector<PlacedSet> sets;  // their moves point to `movable`
  RoomReading before;
  RoomReading after;
  int64_t worth_unit = 1;  // worth of a thousandth of a GPU
  bool cut = false;        // some sets were left untried

  int64_t moved_milli() const;
  int64_t gain_milli(const PlacedSet& set) const { return set.gain / worth_unit; }
};

// Makes a plan, and its moves in the statement. REQUIRES: the statement is clean.
MovePlan plan_moves(Session& session, const PlanLimits& limits);

}  // namespace trellis
