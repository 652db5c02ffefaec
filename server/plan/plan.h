// The cheapest nodes with which the waiting gangs run, and for whom each of them is.
//
// Words: a gang *runs* when it has its minimum, on nodes or promised. No pod moves or leaves for
// it: the plan's cycles only admit and allocate. A plan *suffices* when the gangs that it is for,
// and all that run without it, run in the cycle on the cluster with the plan's nodes. Guarantees:
// the plan suffices; where `proved`, none that is cheaper does. Of equally cheap ones that were
// tried it has fewest nodes. The same input gives the same plan. Cost: a few cycles for large
// clusters, up to kMostTrials for small ones.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/result.h"
#include "server/engine/engine.h"
#include "server/plan/node_market.h"

namespace trellis {

struct NodeUse {
  GangId gang;
  int64_t pods = 0;  // on the node
};

struct PlannedNode {
  std::string name;
  uint32_t offer = 0;          // of the market
  std::vector<NodeUse> users;  // by namespace and name
};

struct NodePlan {
  NodeMarket market;
  std::vector<PlannedNode> nodes;  // by offer
  int64_t price_micro = 0;
  int64_t bound_micro = 0;      // no plan that suffices is cheaper
  bool proved = false;          // none is cheaper than this one
  std::vector<GangId> served;   // wait without the nodes and run with them; by namespace and name
  std::vector<GangId> refused;  // asked for, and no nodes of the shapes make them run
  std::shared_ptr<const CycleRecord> record;  // of the cycle with the nodes
  int64_t cycles = 0;                         // that were run
};

struct PlanQuestion {
  std::vector<NodeShape> shapes;   // with ids of the engine's vocabulary
  std::vector<std::string> gangs;  // "namespace/name", or parts of them; empty: all that wait
  TimeUs now = 0;
};

// The engine's cluster has the plan's nodes afterwards. REQUIRES: its configuration and queues let
// no pod leave for another. An error: there is no such gang.
Result<NodePlan> make_plan(Engine& engine, PlanQuestion question);

}  // namespace trellis
