// The gangs that defragmentation may move.
//
// Words: a gang is *movable* when its owner says so (annotation `trellis.scheduler/movable`), or
// else its queue, or else the nearest queue above that says something. It moves as a whole.
// Guarantees: all its pods have a node and stay, it holds GPUs, it may be preempted, and it has run
// for as long as its queue promises.
// Cost: O(gangs + pods).
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"
#include "session/cycle/session.h"

namespace trellis {

struct MovableGang {
  GangId gang;
  std::vector<PodId> pods;    // by rank
  std::vector<NodeId> nodes;  // of the pods; sorted, each once
  int64_t gpu_milli = 0;      // that its pods hold
};

struct MovableGangs {
  std::vector<MovableGang> gangs;    // those with the fewest GPUs first, then by name
  std::vector<VerdictCount> others;  // other gangs that hold GPUs, by why they stay
};

MovableGangs find_movable_gangs(const Session& session);

}  // namespace trellis
