// A finished cycle, and what is read of a live cluster, in numbers, for metrics.
#pragma once

#include <vector>

#include "server/kube/cluster_watch.h"
#include "server/metrics/cycle_figures.h"
#include "server/serve/cycle_runner.h"
#include "server/serve/finished_cycle.h"

namespace trellis {

// `runner` has just finished the cycle.
CycleFigures measure_cycle(const FinishedCycle& cycle, const CycleRunner& runner);

std::vector<WatchedKindFigures> measure_cluster(const ClusterWatch& watch);

}  // namespace trellis
