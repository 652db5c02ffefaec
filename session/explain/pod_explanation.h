// The explanation of one pod: every plugin's verdict on every node.
//
// It is computed on the cluster as the last cycle left it, without the decisions of that cycle
// about the pod's gang. The node of a pod that is bound or runs is judged as if the pod had left.
// Of a pod that has finished no node is judged.
#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/device_claims.h"
#include "framework/ids.h"
#include "framework/part_shortage.h"
#include "framework/reason.h"
#include "session/explain/demand_explanation.h"

namespace trellis {

class Scheduler;

struct NodeReason {
  ReasonCode code = ReasonCode::None;
  std::string_view plugin;                   // "" for the core
  ResourceId resource;                       // with InsufficientResource
  int64_t short_by = 0;                      // in the resource's unit
  StrId container = {};                      // that parts of the node refuse; kNone: the whole pod
  std::vector<PartShortage> parts = {};      // of the node, part by part
  std::vector<DeviceShortage> devices = {};  // by request of the pod's claims
};

// All refusals of the node in this mode, by every plugin, the core's first. `pod`: a pod of the
// class, whose containers are named; kNone: no containers are named.
std::vector<NodeReason> refusals_of(Session& session, PodClassId pod_class, FitMode mode,
                                    NodeId node, PodId pod);

struct NodeJudgement {
  NodeId node;
  bool fits = false;
  std::vector<NodeReason> reasons;                          // all refusals, core first
  std::vector<std::pair<std::string_view, double>> scores;  // by plugin, before its weight
  double total = 0;                                         // weighted sum
};

struct PodExplanation {
  std::vector<NodeJudgement> nodes;  // by name
  DomainRef bound;                   // where pods of the gang already are, and this one must be
  DemandExplanation gang;            // no domains where there is no topology constraint
};

PodExplanation explain_pod(Scheduler& scheduler, PodId pod);
// REQUIRES: the session has been opened without the decisions about the pod's gang.
PodExplanation explain_pod(Session& session, PodId pod);

}  // namespace trellis
