// The living cluster and its scheduler, put together from a configuration.
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
  // What becomes of each plugin before it is used; nothing where it is empty.
  using PluginWrapper = std::function<std::unique_ptr<Plugin>(std::unique_ptr<Plugin>)>;

  explicit Engine(const Config& config, PluginWrapper wrapper = {});

  Cluster& cluster() { return cluster_; }
  const Cluster& cluster() const { return cluster_; }
  Vocabulary& vocabulary() { return cluster_.vocabulary(); }
  Scheduler& scheduler() { return *scheduler_; }
  const Config& config() const { return scheduler_->config(); }

  // From now on by another configuration; the cluster stays. O(cluster) once it has one.
  void configure(Config config);

  // Runs cycles, one `period` apart; between them time passes for the pods (simulate/). Gives the
  // last one's record. The cluster stands as that last cycle found it. `between`: what else
  // happens between two cycles, after time has passed; may be empty. REQUIRES: cycles >= 1.
  using Between = std::function<void(const CycleRecord& record)>;
  std::shared_ptr<const CycleRecord> run(TimeUs now, int64_t cycles, const Between& between = {});

  // The same when another engine, with an equal cluster, ran the cycle.
  void adopt(std::shared_ptr<const CycleRecord> record);

  // Lets time pass for the pods after the last cycle, once.
  void pass_time();

  // Takes the last cycle's decisions for true, once.
  void assume();

  // What another engine's cycles wrote, of what is here under the same names.
  void take_notes(const Engine& former);

  // What was written on the pods that these cycles bound, and that still stand.
  const BindNotes& notes() const { return notes_; }
  // What they said of workloads.
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
