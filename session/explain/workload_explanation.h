// The explanation of one workload: what the quotas allow in each flavor, and what each domain of
// the flavor could take.
//
// It is computed on the cluster as the last cycle left it, without the decisions of that cycle
// about the workload. A workload that was admitted before is judged as if it had left: its quota is
// free, and its room once its pods are gone. PodSets are judged one after the other, each beside
// the quota and the nodes that the best flavors for those before it would take.
// Cost: for each flavor with a topology as in flavor_room.h, for the quotas as in the plugin.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/quota_rules.h"
#include "session/cycle/session.h"
#include "session/explain/flavor_room.h"

namespace trellis {

// The requested amount of one resource of a flavor, and what the ClusterQueue has of it. Amounts
// are in the resource's unit.
struct QuotaExplanation {
  ResourceId resource;
  int64_t asked = 0;
  int64_t before = 0;     // by PodSets before these
  int64_t nominal = 0;    // of the queue
  int64_t used = 0;       // by other workloads of the queue
  int64_t available = 0;  // what it may take now, by borrowing too
  int64_t most = 0;       // if no workload used anything
  bool operator==(const QuotaExplanation&) const = default;
};

struct FlavorExplanation {
  std::string name;
  FlavorId flavor;  // kNone: no flavor has this name
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;
  Reason reason;  // why it does not fit now; code None with Fit
  std::vector<QuotaExplanation> amounts;
  std::optional<FlavorRoom> room;  // of a flavor with a topology that is for such pods at all
};

// PodSets that take the same flavors.
struct PartyExplanation {
  std::vector<uint32_t> pod_sets;
  Reason uncovered;  // code None: its queue has quotas of all that it requests
  // By resource group of the queue, in each group in the order to try them.
  std::vector<FlavorExplanation> flavors;
};

struct WorkloadExplanation {
  ClusterQueueId queue;  // kNone: it has no queue
  bool judged = false;  // false: it has finished, cannot be understood, or has no queue with quotas
  bool as_if_gone = false;
  std::vector<PartyExplanation> parties;
};

// REQUIRES: the session has been opened without the workload's decisions; it is left as it was.
WorkloadExplanation explain_workload(Session& session, WorkloadId workload);

}  // namespace trellis
