// The room and quota that become free when a workload is evicted.
#pragma once

#include <vector>

#include "session/cycle/session.h"

namespace trellis {

// Evicts the workload in the statement: its quota is free at once, the room of its slots and pods
// in future. Returns the slots that no pod of it stays in.
std::vector<SlotFill> depart(Session& session, WorkloadId workload, WorkloadId by);

}  // namespace trellis
