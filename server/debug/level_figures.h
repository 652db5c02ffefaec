// What each level of each topology has, uses and could still take, for metrics.
#pragma once

#include <vector>

#include "server/debug/cycle_view.h"
#include "server/metrics/cycle_figures.h"

namespace trellis {

std::vector<LevelFigures> measure_levels(CycleView& view);

}  // namespace trellis
