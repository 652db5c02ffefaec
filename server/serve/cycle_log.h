// What a cycle and the input have to say in the log: one line an event.
#pragma once

#include <string>
#include <vector>

#include "server/log/log.h"
#include "server/manifest/diagnostic.h"
#include "server/serve/finished_cycle.h"
#include "session/cluster.h"

namespace trellis {

// Each gang that was decided about, with its domain and the time it took; then the cycle.
void log_cycle(Log& log, const FinishedCycle& cycle, const Cluster& cluster);

void log_cycle_failure(Log& log, const std::string& why);

// What is wrong with the input now and was not before (null: nothing was known), and what is
// mended.
void log_input(Log& log, const std::vector<Diagnostic>* before, const std::vector<Diagnostic>& now);

}  // namespace trellis
