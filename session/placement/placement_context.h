// The context of a search for places: the cluster, the snapshot, what fits, and the statement in
// which the search places pods.
//
// Guarantees: the same calls on the same snapshot have the same results, whatever was searched
// before; only search_work() shrinks as searches exhaust it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <vector>

#include "framework/config.h"
#include "framework/plugin.h"
#include "framework/time.h"
#include "session/cluster/cluster.h"
#include "session/fits/fit_cache.h"
#include "session/placement/verdict_counts.h"
#include "session/snapshot/snapshot.h"
#include "session/statement/statement.h"

namespace trellis {

class PlacementContext {
 public:
  PlacementContext(const Config& config, const Cluster& cluster, Snapshot& snapshot,
                   const Hooks& hooks, FitCache& fits, TimeUs now)
      : config_(config),
        cluster_(cluster),
        snapshot_(snapshot),
        hooks_(hooks),
        fits_(fits),
        now_(now),
        statement_(cluster, snapshot, hooks) {}
  PlacementContext(const PlacementContext&) = delete;
  PlacementContext& operator=(const PlacementContext&) = delete;

  const Config& config() const { return config_; }
  const Cluster& cluster() const { return cluster_; }
  const Snapshot& snapshot() const { return snapshot_; }
  const Hooks& hooks() const { return hooks_; }
  FitCache& fits() { return fits_; }
  Statement& statement() { return statement_; }
  VerdictCounts& verdict_counts() { return verdict_counts_; }
  TimeUs now() const { return now_; }

  // Pods of the gang that are free to be placed, in the order to place them.
  std::vector<PodId> waiting_pods(GangId gang) const;
  void waiting_pods(GangId gang, std::vector<PodId>& waiting) const;  // replaces the contents
  // The gang's pods except those that failed or were already leaving, each at its rank: by
  // subgroup, completion index, name.
  std::vector<PodId> ranked_pods(GangId gang) const;
  // By subgroup, completion index, name.
  bool ranks_before(PodId a, PodId b) const;
  bool has_minimum(GangId gang) const;
  // Nodes of the gang's pods that have one and stay.
  std::vector<NodeId> placed_nodes(GangId gang) const;
  void placed_nodes(GangId gang, std::vector<NodeId>& nodes) const;  // replaces the contents
  // The same of the gangs that this one wants to be near to. Cost: O(gangs) the first time that a
  // gang wants that, then O(their pods).
  std::vector<NodeId> near_nodes(GangId gang) const;

  // The work that one gang's searches may do in one action: limits.searchBudget, and more in a very
  // large cluster. It halves whenever searches of this cycle that exhausted it have used up a few
  // budgets, but is always enough to examine each node and pod some times.
  int64_t search_work(GangId gang) const;
  // Records that a search exhausted its work after so much.
  void count_exhausted(int64_t work) { exhausted_work_ += work; }

 private:
  bool pod_before(PodId a, PodId b) const;
  const std::vector<GangId>& gangs_near(StrId word) const;

  const Config& config_;
  const Cluster& cluster_;
  Snapshot& snapshot_;
  const Hooks& hooks_;
  FitCache& fits_;
  TimeUs now_;
  Statement statement_;
  VerdictCounts verdict_counts_;
  int64_t exhausted_work_ = 0;  // of searches that exhausted it
  // By Gang::near; empty: not collected yet.
  mutable absl::flat_hash_map<uint32_t, std::vector<GangId>> gangs_near_;
};

}  // namespace trellis
