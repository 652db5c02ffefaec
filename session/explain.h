// Why, for one pod or gang: every node judged by every plugin, every candidate domain counted.
//
// Judged on the cluster as the last cycle left it, without the gang's own decisions of that cycle.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"

namespace trellis {

class Scheduler;

struct NodeReason {
  ReasonCode code = ReasonCode::None;
  std::string_view plugin;  // "" for the core
  ResourceId resource;      // with InsufficientResource
  int64_t short_by = 0;     // in the resource's unit
};

struct NodeJudgement {
  NodeId node;
  bool fits = false;
  std::vector<NodeReason> reasons;                          // all refusals, core first
  std::vector<std::pair<std::string_view, double>> scores;  // by plugin, before its weight
  double total = 0;                                         // weighted sum
};

struct Shortage {
  ResourceId resource;
  int64_t by = 0;  // in the resource's unit
};

struct DomainJudgement {
  std::string topology;
  std::string level;              // label
  std::vector<std::string> path;  // values, coarsest first
  int64_t allocatable_pods = 0;   // of the gang's pending pods, now
  int64_t needed = 0;
  bool fits = false;
  std::vector<Shortage> shortages;
};

struct PodExplanation {
  std::vector<NodeJudgement> nodes;      // by name
  std::vector<DomainJudgement> domains;  // of the gang's topology; none without a constraint
};

PodExplanation explain_pod(Scheduler& scheduler, PodId pod);

// The domains from the preferred (else deepest) level up to the required level, by path.
std::vector<DomainJudgement> explain_gang(Scheduler& scheduler, GangId gang);

}  // namespace trellis
