// A finished cycle in numbers, for metrics.
#pragma once

#include "server/metrics/cycle_figures.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/finished_cycle.h"

namespace trellis {

// `runner` has just finished the cycle.
CycleFigures measure_cycle(const FinishedCycle& cycle, const CycleRunner& runner);

}  // namespace trellis
