// Measures capacity, use and free room of each level of each topology, and what free GPUs are good
// for: for metrics.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "server/debug/cycle_view.h"
#include "server/metrics/cycle_figures.h"

namespace trellis {

std::vector<LevelFigures> measure_levels(CycleView& view);
GpuFigures measure_gpus(CycleView& view);
std::vector<DeviceFigures> measure_devices(CycleView& view);
std::vector<NodesWantedFigures> measure_nodes_wanted(CycleView& view);
// Waiting workloads by the code of their first reason.
std::vector<std::pair<std::string, int64_t>> measure_pending_workloads(CycleView& view);

}  // namespace trellis
