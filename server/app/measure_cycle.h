// A finished cycle, and what is read of a live cluster, in numbers, for metrics.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "server/kube/watch/cluster_watch.h"
#include "server/metrics/cycle_figures.h"
#include "server/serve/finished_cycle.h"
#include "server/view/cycle_tally.h"

namespace trellis {

// `tally` has just taken the cycle's record.
CycleFigures measure_cycle(const FinishedCycle& cycle, const CycleTally& tally);

std::vector<WatchedKindFigures> measure_cluster(const ClusterWatch& watch);
// Kind and version, of kinds that are served in unknown versions alone.
std::vector<std::pair<std::string, std::string>> unknown_versions(const ClusterWatch& watch);

}  // namespace trellis
