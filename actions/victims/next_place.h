// Whether what leaves can take a place that is found for it.
#pragma once

#include <cstddef>
#include <vector>

#include "session/cycle/session.h"

namespace trellis {

// A DaemonSet puts its pods back where they were, and a held pod would wait whatever room it had. A
// pod that was resized in place requests something else once it waits: the room that is found for
// what it holds may be too small. Cost: O(1).
bool has_next_place(const Session& session, PodId pod);

// Erases pods that have no next place, and those of leaves that stay below their minimum; returns
// how many. REQUIRES: the pods are of the gang, and were evicted.
size_t leave_out_stuck(const Session& session, GangId gang, std::vector<PodId>& pods);

// Whether allocate would place the gang again, once all of its pods wait: it has its minimum, as
// has each leaf with pods, and no error. REQUIRES: its pods have not left.
bool comes_back(const Session& session, GangId gang);

// Whether a pod that was evicted in this session fits on its node as before, its links aside.
// Cost: O(plugins that count pods).
bool fits_back(Session& session, PodId pod);

}  // namespace trellis
