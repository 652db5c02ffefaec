// Why, for one workload: what the quotas say of each flavor, and what each domain of it could take.
//
// Judged on the cluster as the last cycle left it, without the decisions of that cycle about the
// workload. One that was admitted before is judged as if it had left: it gives back its quota, and
// its room once its pods are gone. PodSets are judged one after the other, each beside what the
// best flavors for those before it would take of quota and nodes.
// Cost: each flavor with a topology as flavor_room.h says, the quotas as the plugin does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/quota_rules.h"
#include "session/cycle/session.h"
#include "session/explain/flavor_room.h"

namespace trellis {

// What is asked of one resource of a flavor, and what the ClusterQueue has of it. Amounts are in
// the resource's unit.
struct QuotaLine {
  ResourceId resource;
  int64_t asked = 0;
  int64_t before = 0;     // by PodSets before these
  int64_t nominal = 0;    // of the queue
  int64_t used = 0;       // by other workloads of the queue
  int64_t available = 0;  // what it may take as things stand, by borrowing too
  int64_t most = 0;       // if no workload used anything
  bool operator==(const QuotaLine&) const = default;
};

struct FlavorExplanation {
  std::string name;
  FlavorId flavor;  // kNone: there is no such flavor
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;
  Reason reason;  // why it does not fit as things stand; code None with Fit
  std::vector<QuotaLine> amounts;
  std::optional<FlavorRoom> room;  // of one with a topology that is for such pods at all
};

// PodSets that take the same flavors.
struct PartyExplanation {
  std::vector<uint32_t> pod_sets;
  Reason uncovered;  // code None: its queue has quotas of all that it asks for
  // By resource group of the queue, of each in the order in which they are tried.
  std::vector<FlavorExplanation> flavors;
};

struct WorkloadExplanation {
  ClusterQueueId queue;  // kNone: there is none
  bool judged = false;  // false: it has finished, cannot be understood, or has no queue with quotas
  bool as_if_gone = false;
  std::vector<PartyExplanation> parties;
};

// In a session that has been opened without the workload's decisions; it is left as it was.
WorkloadExplanation explain_workload(Session& session, WorkloadId workload);

}  // namespace trellis
