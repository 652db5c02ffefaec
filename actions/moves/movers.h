// What may move for a waiting gang or workload.
//
// Words: a mover is an admitted workload whose owner allows that it moves (annotation
// `trellis.scheduler/movable`), or a gang that consolidation may move. It leaves as a whole.
// Guarantees: what was placed or decided about in this cycle is no mover, nor is a workload with a
// pod of a gang that consolidation may not move.
// Cost: made once an action, O(gangs + workloads that hold quota + their pods).
#pragma once

#include <cstdint>
#include <vector>

#include "session/cycle/session.h"

namespace trellis {

struct Mover {
  GangId gang;  // or
  WorkloadId workload;
  int32_t priority = 0;
  std::vector<PodId> pods;  // that have a node
};

// Whether workloads move at all: not in Kueue's profile, not where one starts after the other
// (waitForPodsReady.blockAdmission), and only where `admit` keeps promises.
bool workloads_may_move(const Config& config);

// All movers, those that are rather moved first: the lowest priority, then the youngest.
std::vector<Mover> find_movers(const Session& session);

// Whether it still may move: nothing was decided about it since find_movers().
bool may_still_move(const Session& session, const Mover& mover);

}  // namespace trellis
