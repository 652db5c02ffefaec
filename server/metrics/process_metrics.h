// The metrics of the process itself; their names and meaning are those that Prometheus' client
// libraries share.
#pragma once

#include <prometheus/metric_family.h>

#include <vector>

#include "server/metrics/metric_table.h"

namespace trellis {

// With the figures of now. Cost: that of read_process_figures().
std::vector<prometheus::MetricFamily> process_families();
// For the list of metrics.
std::vector<MetricEntry> process_entries();

}  // namespace trellis
