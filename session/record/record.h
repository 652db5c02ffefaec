// The record of one finished cycle: immutable, by id, for output and for later readers.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/appointment.h"
#include "framework/bind_note.h"
#include "framework/decision.h"
#include "framework/device_claims.h"
#include "framework/gpu_grant.h"
#include "framework/ids.h"
#include "framework/learned_mix.h"
#include "framework/paged_vector.h"
#include "framework/pod.h"
#include "framework/reason.h"
#include "framework/run_history.h"
#include "framework/shared_value.h"
#include "framework/time.h"
#include "framework/volumes.h"
#include "session/snapshot/workload_outcomes.h"

namespace trellis {

// What pods have that are bound by the cycle or described: few of those that run.
struct PodDetails {
  std::vector<BindNote> notes;        // of a pod that this cycle binds
  std::vector<BindNote> description;  // of a pod that has a node, or was promised one
  std::vector<ClaimChoice> claims;    // of a pod that this cycle binds
  std::vector<DeviceGrant> devices;   // of a pod that this cycle binds
  bool operator==(const PodDetails&) const = default;
};

struct PodOutcome {
  PodStatus status = PodStatus::Pending;
  NodeId node;              // where it is or was; kNone when nowhere
  std::string_view action;  // which action decided it; "" when nothing was decided
  bool evicted = false;     // ran, leaves, and has a new place promised
  int32_t rank = -1;        // position in the order inside its gang; -1: it has no node
  GpuGrant gpus;
  SharedValue<PodDetails> shared_details = {};  // through the functions below; empty: none

  const PodDetails& details() const;
  void set_details(PodDetails details);
  bool operator==(const PodOutcome&) const = default;
};

// The domain that holds all placed pods of a gang with a topology constraint: no deeper than its
// preferred (else required) level.
struct GangPlacement {
  std::string topology;
  std::string level;                // label; "" when only the root holds them all
  std::vector<std::string> domain;  // path
  bool operator==(const GangPlacement&) const = default;
};

// The status of a gang or of a subgroup.
enum class GangStatus : uint8_t {
  Running,
  Scheduled,
  Pipelined,
  Pending,
  Evicted,
  Releasing,
  Finished,  // it has pods, and all of them have finished
};

std::string_view to_string(GangStatus status);

struct SubgroupOutcome {
  GangStatus status = GangStatus::Pending;
  std::optional<GangPlacement> placement;  // where it has a topology constraint of its own
  bool operator==(const SubgroupOutcome&) const = default;
};

struct GangOutcome {
  GangStatus status = GangStatus::Pending;
  std::optional<GangPlacement> placement;
  std::vector<SubgroupOutcome> subgroups;  // as Gang::subgroups
  std::vector<Reason> reasons;             // why pods of it wait; empty when none does
  bool operator==(const GangOutcome&) const = default;
};

struct NodeGpus {
  int64_t idle = 0;       // whole devices that no pod holds, nor a slot of a workload
  int64_t releasing = 0;  // whole devices held only by leaving pods and not yet promised
  bool operator==(const NodeGpus&) const = default;
};

// The ids whose outcomes may differ from the record before; all others are the same.
struct Touched {
  bool everything = true;
  // Sorted; empty if `everything`.
  std::vector<PodId> pods;
  std::vector<GangId> gangs;
  std::vector<NodeId> nodes;
};

struct CycleRecord {
  TimeUs now = 0;
  TimeUs next_change = kNoTime;         // when time alone may change the answer; kNoTime: never
  PagedVector<PodId, PodOutcome> pods;  // every pod of the cluster
  PagedVector<GangId, GangOutcome> gangs;
  PagedVector<NodeId, NodeGpus> nodes;
  Touched touched;
  std::vector<Decision> decisions;  // in the order in which they were made
  WorkloadOutcomes workloads;
  std::vector<WorkloadDecision> workload_decisions;  // in the order in which they were made
  std::shared_ptr<const LearnedMix> learned;         // with which it decided; null: with nothing
  std::shared_ptr<const Appointments> found;         // with which it decided; null: none
  std::shared_ptr<const RunHistory> past_runs;       // with which it decided; null: none
  std::shared_ptr<const Appointments> appointments;  // that hold after it; null: none
};

}  // namespace trellis
