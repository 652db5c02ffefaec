// Whether a pod that leaves can take a place that is found for it.
#pragma once

#include "session/cycle/session.h"

namespace trellis {

// A DaemonSet puts its pods back where they were, and a held pod would wait whatever room it had. A
// pod that was resized in place requests something else once it waits: the room that is found for
// what it holds may be too small. Cost: O(1).
bool has_next_place(const Session& session, PodId pod);

// Whether the devices are free in future. A pod that requests whole devices may hold a device that
// no pod shares.
bool are_free(const NodeState& state, NodeId node, const GpuGrant& devices);

}  // namespace trellis
