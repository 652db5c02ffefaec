// The room of the nodes of one flavor for PodSets that are placed together: whether they fit, what
// each domain could take, and which nodes are left out and why.
//
// A domain is judged as for a gang, by how many of the workers it takes. Where that does not decide
// (a leader, segments that the pods do not fill evenly, pods with terms about each other), the
// search is run on that domain alone, as far as its budget goes. Cost: a pass over the nodes for
// each resource and mode, and one over the nodes of every level that is listed; the searches that
// the budget allows.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/reason.h"
#include "framework/workload.h"
#include "session/cycle/session.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/domain_details.h"
#include "session/explain/outlook.h"
#include "session/explain/placement_groups.h"
#include "session/placement/workload_search.h"

namespace trellis {

// A summary of one level.
struct LevelRoom {
  int level = -1;  // -1: the whole topology
  int64_t domains = 0;
  int64_t able = 0;  // domains that take all workers by count
  DomainId best;     // the one that takes most; kNone: there is no domain
  int64_t pods = 0;  // workers that the best takes
};

struct FlavorRoom {
  WorkloadUnit unit;
  std::string error;  // the topology lacks what is requested; nothing else is set
  bool fits = false;
  Reason failure;                 // if it does not fit
  WorkloadPlace place;            // if it fits
  std::vector<LevelRoom> levels;  // coarsest first
  // One part. Its domains are of these levels. Required: the requested one; preferred: the
  // requested one and those above, and the whole topology; else the levels that segments request,
  // or the coarsest, and the whole topology.
  DemandExplanation demand;
  std::vector<DomainDetails> details;  // by domain
  std::vector<PartHelp> help;          // of the one part
  std::vector<PlacementGroups> preferences;
  int64_t nodes = 0;              // of the cluster
  std::vector<LeftOut> left_out;  // of all nodes
};

// `sets`: one, or workers and leader; they have a topology and their classes are known.
FlavorRoom judge_room(Session& session, const Workload& workload,
                      std::span<const FlavoredPodSet> sets, FitMode mode);

}  // namespace trellis
