// The service's metrics in Prometheus' text format; docs/metrics.md lists them.
//
// One thread observes; any thread may call exposition(), and delays no thread. No label names a pod
// or a gang: the number of series is bounded by actions, plugins, reason codes and levels. Cost:
// observe: O(figures), some microseconds; exposition: O(series), about a millisecond.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "server/metrics/cycle_figures.h"

namespace trellis {

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  void observe(const CycleFigures& figures);
  void observe_failed_cycle();
  void observe_failed_answer();
  // Replaces the former figures: series of levels that are gone are removed.
  void set_topology(const std::vector<LevelFigures>& levels);
  void set_gpus(const GpuFigures& figures);
  // Replaces the former figures: series of drivers that are gone are removed.
  void set_devices(const std::vector<DeviceFigures>& figures);
  void set_nodes_wanted(const std::vector<NodesWantedFigures>& figures);
  // Waiting workloads by the code of their first reason.
  void set_pending_workloads(const std::vector<std::pair<std::string, int64_t>>& counts);

  // Counters of a kind that is no longer watched keep their last values.
  void set_cluster(const std::vector<WatchedKindFigures>& kinds);

  // Kinds that are served in unknown versions alone, with a version of each. Replaces the former
  // list.
  void set_unknown_versions(const std::vector<std::pair<std::string, std::string>>& versions);

  void set_binds(const BindFigures& figures);
  void set_statuses(const StatusFigures& figures);
  void set_comparison(const ComparisonCounts& counts);
  void set_election(const ElectionFigures& election);

  // Sorted by name and labels: equal figures give equal text.
  std::string exposition() const;

  static constexpr const char* kContentType = "text/plain; version=0.0.4; charset=utf-8";

 private:
  class Families;
  friend std::string metrics_document();
  std::unique_ptr<Families> families_;
};

// docs/metrics.md, made from the registrations.
std::string metrics_document();

}  // namespace trellis
