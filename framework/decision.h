// What a cycle decides about pods and about workloads. A decision keeps this form from the
// statement or action that makes it to the readers of the cycle's record.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/quota_holding.h"
#include "framework/reason.h"
#include "framework/workload.h"

namespace trellis {

// For whom something leaves; both kNone: for nothing that waits.
struct Beneficiary {
  GangId gang;
  WorkloadId workload;
};

struct Decision {
  enum class Kind : uint8_t { Bind, Pipeline, Evict } kind = Kind::Bind;
  PodId pod;
  NodeId node;                   // Evict: that the pod leaves
  GangId by;                     // Evict: for which gang
  WorkloadId by_workload;        // Evict: for which workload
  PodClassId slot_class;         // of its workload's slot that the pod takes; kNone: no slot
  std::string_view action = {};  // that committed it; static storage
};

// Room for pods of a workload that do not exist yet.
struct SlotFill {
  PodClassId pod_class;
  NodeId node;
  int32_t count = 0;
};

// A decision about a workload, with what is needed to make it again.
struct WorkloadDecision {
  enum class Kind : uint8_t {
    Admit,
    Await,     // its room is kept until its victims have left
    Reassign,  // admitted before; slots moved from failed nodes
    Evict,
    Move,     // evicted, and promised another place, where it will be admitted again
    Promise,  // its place is kept, in the next cycles too, until others have left it
    Lapse,    // what it was promised is not there any more
  } kind = Kind::Admit;
  WorkloadId workload;
  ClusterQueueId queue;
  std::shared_ptr<const Admission> admission;  // unless Evict and Lapse
  std::vector<QuotaAmount> amounts;            // taken; Admit, Await, Move and Promise
  std::vector<SlotFill> slots;                 // taken
  std::vector<SlotFill> left;                  // slots that it leaves
  Reason reason;                               // with Await, Evict, Move and Promise
  Beneficiary by;                              // Evict and Move
};

// Whether the workload is evicted.
inline bool evicts(const WorkloadDecision& decision) {
  return decision.kind == WorkloadDecision::Kind::Evict ||
         decision.kind == WorkloadDecision::Kind::Move;
}

// Whether the workload gets its place only once others have left.
inline bool promises(const WorkloadDecision& decision) {
  return decision.kind == WorkloadDecision::Kind::Await ||
         decision.kind == WorkloadDecision::Kind::Move ||
         decision.kind == WorkloadDecision::Kind::Promise;
}

}  // namespace trellis
