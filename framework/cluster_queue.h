// Kueue's quota objects (kueue.x-k8s.io) as written: ClusterQueue, Cohort and LocalQueue.
//
// Amounts are in the units of their resource (framework/resources.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"
#include "framework/selectors.h"
#include "framework/time.h"

namespace trellis {

// The quota of one resource in one flavor.
struct ResourceQuota {
  ResourceId resource;
  int64_t nominal = 0;
  std::optional<int64_t> borrowing_limit;  // unset: all that others lend
  std::optional<int64_t> lending_limit;    // unset: all of it
  bool operator==(const ResourceQuota&) const = default;
};

struct FlavorQuota {
  StrId flavor;
  std::vector<ResourceQuota> resources;  // as the group covers them
  bool operator==(const FlavorQuota&) const = default;
};

// Resources that come from one flavor together. No resource and no flavor is in two groups.
struct ResourceGroup {
  std::vector<ResourceId> resources;
  std::vector<FlavorQuota> flavors;  // in the order to try them
  bool operator==(const ResourceGroup&) const = default;
};

enum class QueueingStrategy : uint8_t { BestEffortFifo, StrictFifo };
enum class StopPolicy : uint8_t { None, Hold, HoldAndDrain };

struct FlavorFungibility {
  bool borrow_before_next = true;    // whenCanBorrow: MayStopSearch (Borrow)
  bool preempt_before_next = false;  // whenCanPreempt: MayStopSearch (Preempt)
  bool prefers_preemption = false;   // preference: PreemptionOverBorrowing
  bool operator==(const FlavorFungibility&) const = default;
};

enum class PreemptWithin : uint8_t { Never, LowerPriority, LowerOrNewerEqualPriority };
enum class ReclaimWithin : uint8_t { Never, LowerPriority, Any };

struct WorkloadPreemption {
  PreemptWithin within_queue = PreemptWithin::Never;
  ReclaimWithin within_cohort = ReclaimWithin::Never;
  bool borrows = false;                        // borrowWithinCohort.policy: LowerPriority
  std::optional<int32_t> max_borrow_priority;  // borrowWithinCohort.maxPriorityThreshold
  bool operator==(const WorkloadPreemption&) const = default;
};

// Requirements on the labels of namespaces.
struct NameSpaceSelector {
  bool nothing = true;  // none was given: it selects no namespace
  std::vector<Requirement> labels;
  bool operator==(const NameSpaceSelector&) const = default;
};

struct ClusterQueue {
  std::string name;
  Maybe<StrId> cohort;  // by name; none: the queue is in no cohort
  std::vector<ResourceGroup> groups;
  QueueingStrategy queueing = QueueingStrategy::BestEffortFifo;
  FlavorFungibility fungibility;
  WorkloadPreemption preemption;
  StopPolicy stop = StopPolicy::None;
  NameSpaceSelector name_spaces;
  double weight = 1.0;           // fairSharing.weight
  std::vector<Reason> inactive;  // why it admits nothing; set by the reader
  TimeUs created = kNoTime;
  bool operator==(const ClusterQueue&) const = default;
};

// A cohort that other objects name but that has no object of its own has no quota and no parent.
struct Cohort {
  std::string name;
  Maybe<StrId> parent;  // by name; none: a root
  std::vector<ResourceGroup> groups;
  double weight = 1.0;
  bool operator==(const Cohort&) const = default;
};

struct LocalQueue {
  StrId name_space;
  std::string name;
  StrId cluster_queue;
  StopPolicy stop = StopPolicy::None;
  bool operator==(const LocalQueue&) const = default;
};

}  // namespace trellis
