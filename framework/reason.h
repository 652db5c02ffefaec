// Why not: reasons as data. Text is made from them at the edge (server/wording/reason_text.h).
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/queue_amounts.h"

namespace trellis {

enum class ReasonCode : uint8_t {
  None,
  // One node, one pod class
  InsufficientResource,  // a resource is short (with which one)
  TooManyPods,           // the pod limit
  NodeNotReady,
  NodeUnschedulable,
  UntoleratedTaint,
  NodeSelectorMismatch,
  NodeAffinityMismatch,
  HostPortConflict,
  InsufficientGpuShare,        // no device has that much left
  GpuMemoryUnknown,            // gpu-memory asked, but the node does not say how much a device has
  OutsideDomain,               // outside the domain that the gang is bound to
  PodAffinityMismatch,         // no pod of the required company is near
  PodAntiAffinityConflict,     // a pod that the pod keeps away from is near
  ExistingPodAntiAffinity,     // a pod that keeps away from the pod is near
  TopologySpreadLabelMissing,  // no value of a label to spread over
  TopologySpreadSkew,          // its domain would hold too many more pods than another
  InsufficientNumaZone,        // no zone, or set of zones, has what a container asks for
  NumaZonesStale,              // what is known of its zones is out of date
  NumaZoneNotShared,           // not in the one zone that its gang has, or would begin in
  NoNumaZones,                 // none to share: no report, or a policy that aligns nothing
  TooManyPodsOfService,        // it holds as many pods of the service as may stand on one node
  // A gang
  QueueNotFound,
  QueueNotLeaf,  // it has queues below it
  TopologyNotFound,
  TopologyNotNamed,  // a level without a topology
  LevelUnknown,
  LevelOrder,       // the preferred level is coarser than the required one
  NotEnoughPods,    // fewer pods exist than minMember
  SchedulingGated,  // pods are held by scheduling gates, so the minimum cannot be met
  OtherScheduler,
  VolumeClaimNotFound,    // a pod names a PersistentVolumeClaim that is absent
  GangNotFound,           // a pod names a PodGroup that is absent
  PlacementSkew,          // a hard placement preference: a group would be too far ahead
  NodesNoFit,             // no topology: the cluster cannot take the minimum
  TopologyNoFit,          // no domain of the required level can
  SearchBudgetExhausted,  // not proved: the search budget ran out
  SubgroupUnknown,     // a pod names a subgroup that is none of the gang's leaves, or none at all
  SubgroupTree,        // a subgroup's parent is unknown, or it is below itself
  SubgroupLimit,       // more subgroups, or more of them inside each other, than a gang may have
  SegmentSizes,        // sizes of segment layers that do not nest, or levels out of order
  QueueOverLimit,      // the gang's queue, or one above it, would pass its limit
  QueueOverQuota,      // the gang is not preemptible and its queue would pass its quota
  QueueOverFairShare,  // the gang may not take from other queues: its own would pass its fair share
  ReservedForOther,    // a gang that has waited long holds the place
  InvalidObject,       // the object itself has an error
  StaleGang,           // it ran below its minimum for longer than its grace period
  WorkloadNotAdmitted,  // its pods belong to a Workload that is not admitted
  // A workload that waits (Kueue's words where it has some)
  NoMatchingFlavor,  // no flavor of its ClusterQueue is for such pods
  WaitingForQuota,
  ExceedsMaxQuota,                 // more than its ClusterQueue could ever have
  TopologyPlacementFailed,         // quota there is, and no domain that takes it
  WaitingForPreemptedWorkloads,    // others were evicted for it
  PendingDelayedTopologyRequests,  // its admission checks are not Ready
  WaitingForPodsReady,             // pods of workloads admitted before it are not ready
  Misconfigured,                   // what it asks for does not fit its queue or itself
  Suspended,                       // spec.active is false
  NamespaceMismatch,               // its namespace is none of those that the ClusterQueue selects
  BehindHead,                      // StrictFIFO: one before it in the queue waits
  // A ClusterQueue that admits nothing
  ClusterQueueInactive,
  ClusterQueueStopped,
  LocalQueueStopped,
  FlavorNotFound,
  CohortCycle,
  CohortTooDeep,      // more Cohorts above each other than there may be
  MultiKueueManager,  // its workloads run in other clusters
  // A workload that was evicted
  Preempted,
  PodsReadyTimeout,
  NodeFailures,
  Deactivated,
  // Why others are not moved for a gang
  VictimsNoFit,      // whatever may be moved makes no room
  NoVictims,         // nothing may be moved
  NeverMovesOthers,  // preemptionPolicy: Never
  PreemptionDelay,   // it has not waited long enough to move others
  UnfairExchange,    // the exchange would take its queue, or theirs, the wrong side of a share
  // One gang that is not moved for another
  SameQueue,
  OtherQueue,
  NotPreemptible,
  PriorityNotLower,
  PlacedThisCycle,
  MinRuntime,              // it has not run for as long as its queue promises
  DisruptionBudgetBlocks,  // a PodDisruptionBudget allows no more
  // One node, one flavor of a workload
  NodeNotOfFlavor,    // it does not carry the flavor's labels
  LevelLabelMissing,  // it lacks the label of a level, and workloads count only whole paths
  // Those that came later
  DeactivatedDueToRequeuingLimitExceeded,  // PodsReadyTimeout, too often (Kueue's word)
  WorkloadSlotsTaken,          // its workload is admitted, and no slot of it is free for the pod
  ResourceClaimsNotSupported,  // a pod names a ResourceClaim that is not allocated, or not usable
  GpuFractionBinderMissing,    // a pod asks for part of a GPU, and no program would prepare it
  WorkloadStarts,              // its workload was admitted in this very cycle
};

std::string_view to_string(ReasonCode code);

// Whether more nodes could end it, so that a cluster autoscaler should see it.
bool more_nodes_help(ReasonCode code);

// How many nodes say no for the same cause.
struct VerdictCount {
  ReasonCode code = ReasonCode::None;
  ResourceId resource = {};      // with InsufficientResource
  std::string_view plugin = {};  // "" for the core
  int64_t nodes = 0;
  NodeId example = {};
  bool operator==(const VerdictCount&) const = default;
};

// What a queue allows of a resource, with QueueOver...; the unit is the resource's.
struct QueueBound {
  QueueResource resource = QueueResource::Gpu;
  int64_t asked = 0;    // by the gang
  int64_t held = 0;     // by the queue, without it
  int64_t allowed = 0;  // 0 unless the code is about a bound
  bool operator==(const QueueBound&) const = default;
};

// What is missing of one flavor's quota; the unit is the resource's.
struct QuotaShortage {
  std::string flavor;
  ResourceId resource;
  int64_t asked = 0;
  int64_t available = 0;  // now, or (ExceedsMaxQuota) ever
  bool operator==(const QuotaShortage&) const = default;
};

struct Reason {
  ReasonCode code = ReasonCode::None;
  std::string_view plugin = {};             // a name with static storage; "" for the core
  int64_t needed = 0;                       // pods
  int64_t found = 0;                        // pods that would fit
  int64_t nodes = 0;                        // nodes looked at
  std::vector<VerdictCount> verdicts = {};  // most nodes first
  VerdictCount limit = {};                  // nodes that take pods, but fewer than their resources
  std::string topology = {};
  std::string level = {};                 // label of the level
  std::vector<std::string> domain = {};   // the nearest domain, as a path
  std::string subgroup = {};              // the part of the gang that it is about; "" for all of it
  std::string subject = {};               // the word that is wrong: a queue, a level, ...
  QueueBound bound = {};                  // of queue `subject`
  std::vector<QuotaShortage> quota = {};  // with WaitingForQuota and ExceedsMaxQuota
  std::string flavor = {};                // that it is about; "" for none or all
  bool operator==(const Reason&) const = default;
};

}  // namespace trellis
