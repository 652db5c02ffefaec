// Admitted workloads that must go or move: deactivated or stopped ones, those whose pods do not
// come up, and those that lost nodes. And those whose topology had to wait for admission checks.
#pragma once

#include "session/cycle/session.h"

namespace trellis {

// False: nothing may be admitted in this cycle (waitForPodsReady.blockAdmission).
bool check_health(Session& session);

// Why workloads wait while others come up.
std::vector<Reason> waits_for_others();

}  // namespace trellis
