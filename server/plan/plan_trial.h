// The judge of a plan: the cycle itself, on the cluster with the nodes of the plan.
//
// Guarantees: the result depends on the cluster and the counts alone, not on earlier trials.
// Cost: a cycle, and the trees of the cluster again; O(nodes that differ from the last trial).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/time.h"
#include "server/engine/engine.h"
#include "server/plan/node_market.h"

namespace trellis {

class PlanTrial {
 public:
  // Both outlive the trial.
  PlanTrial(Engine& engine, const NodeMarket& market, TimeUs now);

  // The record of a cycle with these nodes.
  std::shared_ptr<const CycleRecord> run(const NodeCounts& counts);
  // Only puts the nodes into the cluster.
  void set_nodes(const NodeCounts& counts);

  // A node that is in the cluster now; `number` counts from 0.
  NodeId node(size_t offer, int64_t number) const;
  std::string node_name(size_t offer, int64_t number) const;
  int64_t cycles() const { return cycles_; }

 private:
  Node make_node(size_t offer, int64_t number) const;

  Engine& engine_;
  const NodeMarket& market_;
  TimeUs now_;
  std::vector<std::string> prefixes_;  // of names, by offer
  NodeCounts there_;
  int64_t cycles_ = 0;
};

}  // namespace trellis
