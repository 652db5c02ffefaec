// The scheduler: plugins, actions and the snapshot, kept from cycle to cycle.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "framework/config.h"
#include "framework/node_values.h"
#include "framework/plugin.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/cycle/action.h"
#include "session/cycle/failed_searches.h"
#include "session/cycle/recorder.h"
#include "session/cycle/session.h"
#include "session/fits/fit_cache.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"
#include "session/times/run_observer.h"

namespace trellis {

class Scheduler {
 public:
  // `cluster` must outlive the scheduler.
  Scheduler(Cluster& cluster, Config config, std::vector<std::unique_ptr<Plugin>> plugins,
            std::vector<Action> actions);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  // Runs one cycle on the cluster as it is. Returns the same record, not rewritten, when nothing
  // changed since the last cycle, that cycle decided nothing, and no time limit has passed since.
  std::shared_ptr<const CycleRecord> run_cycle(TimeUs now);

  // The state at the end of the last cycle, to inspect it; the cluster as it is if nothing was
  // decided or the cluster has changed since.
  Session& session();
  // Takes over what another scheduler decided about an equal cluster, to inspect it. REQUIRES: the
  // cluster is as that cycle found it, under the same ids.
  void adopt(std::shared_ptr<const CycleRecord> record);

  // What the plugins have learned, for a scheduler to which all pods of the cluster will be new;
  // null: nothing. O(pods).
  std::shared_ptr<const LearnedMix> learned() const;
  // Continues with what another scheduler learned, from the next session on; null: with nothing.
  void recall(std::shared_ptr<const LearnedMix> learned);

  // The appointments with which the next cycle begins; null: none. Where adopt() was called last:
  // with which the adopted cycle began.
  const std::shared_ptr<const Appointments>& appointments() const { return appointments_; }
  void set_appointments(std::shared_ptr<const Appointments> appointments) {
    appointments_ = std::move(appointments);
  }

  // How long past gangs ran, with which the next cycle begins; null: not known. As with
  // appointments() after adopt().
  const std::shared_ptr<const RunHistory>& past_runs() const { return runs_.history(); }
  void set_past_runs(std::shared_ptr<const RunHistory> runs) {
    runs_.continue_with(std::move(runs));
  }

  // A session on the cluster as it is, without decisions; closes the last session.
  Session& open(TimeUs now);

  // A session without the decisions about one gang, or about one workload and its pods; the other
  // decisions are rebuilt. Pods that were moved leave their nodes, and have no new places.
  Session& reopen_without(GangId gang);
  Session& reopen_without(WorkloadId workload);

  // Sets the probe for every cycle from now on; null: none. It must outlive them.
  void set_probe(CycleProbe* probe) { probe_ = probe; }

  const Cluster& cluster() const { return cluster_; }
  const Config& config() const { return config_; }

 private:
  Session& reopen_without(GangId gang, WorkloadId workload);
  void open_plugins();
  void learn(std::span<const PodClassId> arrived);
  bool is_idle(TimeUs now) const;

  Cluster& cluster_;
  Config config_;
  std::vector<std::unique_ptr<Plugin>> plugins_;
  std::vector<Action> actions_;
  Snapshot snapshot_;
  View view_;
  Hooks hooks_;
  NodeValues node_values_;
  FitCache fits_;
  FailedSearches failed_;
  std::unique_ptr<Session> session_;
  CycleProbe* probe_ = nullptr;
  Recorder recorder_;
  std::shared_ptr<const LearnedMix> learned_;   // when the session was opened
  std::shared_ptr<const LearnedMix> recalled_;  // for the next session; null: nothing
  std::shared_ptr<const Appointments> appointments_;
  RunObserver runs_;
  bool all_counted_ = false;         // recalled_ counts all pods of the cluster
  uint64_t decided_generation_ = 0;  // of the cluster, at the last cycle
  uint64_t opened_generation_ = 0;   // of the cluster, when session_ was opened
  bool partial_ = false;             // session_ lacks decisions
};

}  // namespace trellis
