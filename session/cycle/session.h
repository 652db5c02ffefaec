// A session: one cycle's work on the snapshot. A pure function of (snapshot, config, now).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "framework/plugin.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/cycle/cycle_probe.h"
#include "session/fits/fit_cache.h"
#include "session/placement/verdict_counts.h"
#include "session/record/record.h"
#include "session/snapshot/snapshot.h"
#include "session/snapshot/workload_outcomes.h"
#include "session/statement/statement.h"

namespace trellis {

class FailedSearches;

struct ActionDecision {
  Decision decision;
  std::string_view action;
};

class Session {
 public:
  Session(const Config& config, const Cluster& cluster, Snapshot& snapshot, const Hooks& hooks,
          FitCache& fits, FailedSearches& failed, TimeUs now, CycleProbe* probe = nullptr)
      : config_(config),
        cluster_(cluster),
        snapshot_(snapshot),
        hooks_(hooks),
        fits_(fits),
        failed_searches_(failed),
        now_(now),
        probe_(probe),
        statement_(cluster, snapshot, hooks) {}

  const Config& config() const { return config_; }
  const Cluster& cluster() const { return cluster_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const Hooks& hooks() const { return hooks_; }
  FitCache& fits() { return fits_; }
  Statement& statement() { return statement_; }
  VerdictCounts& verdict_counts() { return verdict_counts_; }
  FailedSearches& failed_searches() { return failed_searches_; }
  TimeUs now() const { return now_; }
  CycleProbe* probe() const { return probe_; }  // may be null

  // The order of the plugins, then creation, then namespace and name: total and strict.
  bool gang_before(GangId a, GangId b) const;
  // Pods of the gang that are free to be placed, in the order to place them.
  std::vector<PodId> waiting_pods(GangId gang) const;
  void waiting_pods(GangId gang, std::vector<PodId>& waiting) const;  // instead of what is in it
  // Pods of the gang that are there to stay, each at its rank: by subgroup, completion index, name.
  std::vector<PodId> ranked_pods(GangId gang) const;
  // By subgroup, completion index, name.
  bool ranks_before(PodId a, PodId b) const;
  bool has_minimum(GangId gang) const;
  // Since when the latest of its waiting pods is there; kNoTime: it is not said.
  TimeUs waiting_since(GangId gang) const;
  // Nodes of the gang's pods that have one and stay.
  std::vector<NodeId> placed_nodes(GangId gang) const;
  void placed_nodes(GangId gang, std::vector<NodeId>& nodes) const;  // instead of what is in it

  // What one gang's searches may do in one action: limits.searchBudget. It halves whenever searches
  // of this cycle that ran out of it have used up a few budgets, but is always enough to look at
  // each node and pod some times.
  int64_t search_work(GangId gang) const;
  // A search ran out of its work after so much.
  void count_exhausted(int64_t work) { exhausted_work_ += work; }

  // Pods of the gang were placed in this cycle, and that is final.
  bool placed_here(GangId gang) const { return placed_here_.contains(gang) && placed_here_[gang]; }
  // Makes the statement's decisions final, in the name of an action.
  void commit(std::string_view action);
  // Why pods of the gang wait; the latest word stands.
  void set_reasons(GangId gang, std::vector<Reason> reasons);
  void add_reason(GangId gang, Reason reason);

  // Keeps what was decided about a workload; its slots and quota stand in the statement.
  void decide(WorkloadDecision decision);
  // Why it waits, or does not wait any more; the latest word stands.
  void set_reasons(WorkloadId workload, SharedReasons reasons);
  // Of all in the line about whom nothing else is said or decided.
  void set_reasons(WorkloadLineId line, SharedReasons reasons);
  const std::vector<WorkloadDecision>& workload_decisions() const { return workload_decisions_; }
  // What it has, decided in this cycle or recorded; null: nothing, or it waits for others to leave.
  const Admission* admission(WorkloadId workload) const;
  // Where the statement keeps slots of the workload that name a domain and no node.
  void keep_loose(WorkloadId workload, std::span<const SlotFill> fills);
  std::span<const SlotFill> loose_slots(WorkloadId workload) const {
    return loose_.contains(workload) ? std::span<const SlotFill>(loose_[workload])
                                     : std::span<const SlotFill>();
  }
  // Slots, quota and all, once more: for a session that takes over what another decided.
  void replay(const WorkloadDecision& decision);

  const std::vector<ActionDecision>& decisions() const { return decisions_; }
  std::span<const Reason> reasons(GangId gang) const {
    return reasons_.contains(gang) ? reasons_[gang] : std::span<const Reason>();
  }
  std::vector<GangId> gangs_with_reasons() const;
  WorkloadOutcomes workload_outcomes() const;

 private:
  bool pod_before(PodId a, PodId b) const;

  const Config& config_;
  const Cluster& cluster_;
  Snapshot& snapshot_;
  const Hooks& hooks_;
  FitCache& fits_;
  FailedSearches& failed_searches_;
  int64_t exhausted_work_ = 0;  // of searches that ran out of it
  TimeUs now_;
  CycleProbe* probe_;
  Statement statement_;
  VerdictCounts verdict_counts_;
  std::vector<ActionDecision> decisions_;
  IndexedVector<GangId, uint8_t> placed_here_;
  IndexedVector<GangId, std::vector<Reason>> reasons_;
  std::vector<WorkloadDecision> workload_decisions_;
  IndexedVector<WorkloadId, std::vector<SlotFill>> loose_;
  std::vector<std::pair<WorkloadId, SharedReasons>> workload_reasons_;  // as they were said
  LineReasons line_reasons_;
  absl::flat_hash_map<uint32_t, size_t> last_decision_;  // by workload; never iterated
};

}  // namespace trellis
