// Checks admitted workloads. Evicts deactivated and stopped workloads, and those whose pods do not
// become ready; moves the slots of those that lost nodes; places those whose topology had to wait
// for admission checks.
#pragma once

#include "session/cycle/session.h"

namespace trellis {

// False: nothing may be admitted in this cycle (waitForPodsReady.blockAdmission).
bool check_health(Session& session);

// Sets the reason of all workloads that wait while pods of others become ready.
void hold_admission(Session& session);

// The reasons of workloads that wait while pods of others become ready.
std::vector<Reason> waits_for_others();

}  // namespace trellis
