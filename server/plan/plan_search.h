// The search for the cheapest counts of nodes with which the cycle runs the wanted gangs.
//
// The steps: a guess by counts (node_estimate.h), mended where the cycle contradicts it; nodes that
// nothing uses go; each count shrinks by bisection; nodes are replaced by cheaper ones; and where
// few offers and nodes are at stake, all cheaper counts are tried in order of price. What cannot
// suffice (plan_bound.h) is not tried. All steps share one allowance of trials.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "server/plan/node_market.h"
#include "server/plan/plan_bound.h"
#include "server/plan/plan_demand.h"
#include "server/plan/plan_trial.h"

namespace trellis {

class PlanSearch {
 public:
  // All outlive this object.
  PlanSearch(Engine& engine, PlanTrial& trial, const NodeMarket& market, const DemandRows& rows);

  // Counts with which the cycle runs all wanted gangs. Moves to `refused` those of `wanted` for
  // which there are none.
  NodeCounts first(std::vector<GangId>& wanted, std::vector<GangId>& refused);

  struct Result {
    NodeCounts counts;
    bool proved = false;
  };
  // Cheaper counts, if any are found. REQUIRES: `counts` suffice.
  Result improve(NodeCounts counts, const PlanBound& bound, std::span<const GangId> wanted);

 private:
  void add_one_of_each(NodeCounts& counts) const;
  bool suffices(const NodeCounts& counts);
  bool is_better(const NodeCounts& counts) const;
  bool take(const NodeCounts& counts);
  void drop_unused();
  void shrink();
  void rise(size_t offer);
  void replace();
  bool replace_one(size_t sold, size_t also_sold);
  bool enumerate();

  Engine& engine_;
  PlanTrial& trial_;
  const NodeMarket& market_;
  const DemandRows& rows_;
  const PlanBound* bound_ = nullptr;
  std::span<const GangId> wanted_;
  std::map<NodeCounts, bool> known_;
  int64_t trials_left_ = 0;
  NodeCounts best_;
};

// Whether all of them have their minimum by the record.
bool all_run(const CycleRecord& record, std::span<const GangId> gangs);
bool runs(const CycleRecord& record, GangId gang);

}  // namespace trellis
