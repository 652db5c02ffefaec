// Measures a finished cycle, and the watches of a live cluster, for metrics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/kube/watch/cluster_watch.h"
#include "server/metrics/cycle_figures.h"
#include "server/serve/finished_cycle.h"
#include "server/view/cycle_tally.h"

namespace trellis {

// REQUIRES: `tally` has taken the cycle's record as its last one.
CycleFigures measure_cycle(const FinishedCycle& cycle, const CycleTally& tally);

std::vector<WatchedKindFigures> measure_cluster(const ClusterWatch& watch);
// Kind and version of each kind that the API server serves only in unknown versions.
std::vector<std::pair<std::string, std::string>> unknown_versions(const ClusterWatch& watch);

}  // namespace trellis
