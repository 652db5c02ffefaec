// Measures capacity, use and free room of each level of each topology, and what free GPUs are good
// for: for metrics.
#pragma once

#include <vector>

#include "server/debug/cycle_view.h"
#include "server/metrics/cycle_figures.h"

namespace trellis {

std::vector<LevelFigures> measure_levels(CycleView& view);
GpuFigures measure_gpus(CycleView& view);

}  // namespace trellis
