// Measures capacity, use and free room of each level of each topology, for metrics.
#pragma once

#include <vector>

#include "server/debug/cycle_view.h"
#include "server/metrics/cycle_figures.h"

namespace trellis {

std::vector<LevelFigures> measure_levels(CycleView& view);

}  // namespace trellis
