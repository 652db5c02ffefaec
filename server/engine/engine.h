// A cluster and its scheduler, constructed from a configuration.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "framework/config.h"
#include "framework/plugin.h"
#include "framework/time.h"
#include "server/writeback/save.h"
#include "session/cluster/cluster.h"
#include "session/cycle/scheduler.h"
#include "session/record/record.h"

namespace trellis {

class Engine {
 public:
  // Wraps each plugin before it is used; may be empty.
  using PluginWrapper = std::function<std::unique_ptr<Plugin>(std::unique_ptr<Plugin>)>;

  explicit Engine(const Config& config, PluginWrapper wrapper = {});

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Vocabulary& vocabulary() { return cluster_.vocabulary(); }
  Scheduler& scheduler() { return *scheduler_; }
  const Scheduler& scheduler() const { return *scheduler_; }
  const Config& config() const { return scheduler_->config(); }

  // Replaces the configuration; the cluster stays, and what was learned. O(cluster) when there was
  // one before.
  void configure(Config config);

  // Runs cycles, one `period` apart, and returns the record of the last one. Between two cycles
  // time passes for the pods (server/writeback), then `between` is called; it may be empty. The
  // cluster stays as the last cycle found it. REQUIRES: cycles >= 1.
  using Between = std::function<void(const CycleRecord& record)>;
  std::shared_ptr<const CycleRecord> run(TimeUs now, int64_t cycles, const Between& between = {});

  // Takes over the record of a cycle that another engine, with an equal cluster, ran.
  void adopt(std::shared_ptr<const CycleRecord> record);

  // Lets time pass for the pods after the last cycle, once.
  void pass_time();

  // Assumes that the last cycle's decisions are carried out, once.
  void assume();

  // Takes over the notes of another engine, for the objects that have the same names here, and what
  // it has learned.
  void take_notes(const Engine& former);

  // The notes that these cycles wrote on the pods that they bound, where they are still valid.
  const BindNotes& notes() const { return notes_; }
  // The notes that these cycles wrote on workloads.
  const WorkloadNotes& workload_notes() const { return workload_notes_; }

 private:
  void keep(std::shared_ptr<const CycleRecord> record);

  Cluster cluster_;
  PluginWrapper wrapper_;
  std::unique_ptr<Scheduler> scheduler_;
  std::shared_ptr<const CycleRecord> record_;  // of the last cycle
  bool time_passed_ = false;                   // since then
  BindNotes notes_;
  WorkloadNotes workload_notes_;
};

}  // namespace trellis
