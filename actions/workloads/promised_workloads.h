// Keeps the places that workloads were promised in an earlier cycle: quota and room, until others
// have left the place. Then the workload is admitted there.
//
// Guarantees: nothing else is admitted into a promised place while the promise can be kept. A
// promise that cannot be kept any more lapses: the workload waits in its queue as before.
// Cost: O(domains of the promises + pods of their workloads).
#pragma once

#include <cstdint>

#include "session/cycle/session.h"

namespace trellis {

// Whether anything may be admitted in this cycle (waitForPodsReady.blockAdmission).
enum class Admissions : uint8_t { Open, Held };

// Returns whether others may be admitted after that.
bool keep_workload_promises(Session& session, Admissions admissions);

}  // namespace trellis
