// Reasons as data: why a gang or workload waits, or a node refuses a pod.
// server/wording/reason_text.h makes text of them.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/queue_amounts.h"
#include "framework/time.h"

namespace trellis {

// The meaning of a code is in its row in framework/reason_catalog.cc.
enum class ReasonCode : uint8_t {
  None,
  // One node, one pod class
  InsufficientResource,
  TooManyPods,
  NodeNotReady,
  NodeUnschedulable,
  UntoleratedTaint,
  NodeSelectorMismatch,
  NodeAffinityMismatch,
  NodeFeatureMissing,
  HostPortConflict,
  InsufficientGpuShare,
  GpuMemoryUnknown,
  OutsideDomain,
  PodAffinityMismatch,
  PodAntiAffinityConflict,
  ExistingPodAntiAffinity,
  TopologySpreadLabelMissing,
  TopologySpreadSkew,
  InsufficientNumaZone,
  NumaZonesStale,
  NumaZoneNotShared,
  NoNumaZones,
  TooManyPodsOfService,
  // A gang
  QueueNotFound,
  QueueNotLeaf,
  TopologyNotFound,
  TopologyNotNamed,
  LevelUnknown,
  LevelOrder,
  NotEnoughPods,
  NotEnoughSubgroups,
  SchedulingGated,
  OtherScheduler,
  VolumeClaimNotFound,
  GangNotFound,
  PlacementSkew,
  NodesNoFit,
  TopologyNoFit,
  SearchBudgetExhausted,
  SubgroupUnknown,
  SubgroupTree,
  SubgroupLimit,
  SegmentSizes,
  QueueOverLimit,
  QueueOverQuota,
  QueueOverFairShare,
  ReservedForOther,
  PassedOver,
  InvalidObject,
  StaleGang,
  WorkloadNotAdmitted,
  WaitingForZoneReport,
  // A workload that waits (Kueue's names where it has them)
  NoMatchingFlavor,
  WaitingForQuota,
  ExceedsMaxQuota,
  TopologyPlacementFailed,
  WaitingForPreemptedWorkloads,
  PendingDelayedTopologyRequests,
  WaitingForPodsReady,
  Misconfigured,
  Suspended,
  NamespaceMismatch,
  BehindHead,
  // A ClusterQueue that admits nothing
  ClusterQueueInactive,
  ClusterQueueStopped,
  LocalQueueStopped,
  FlavorNotFound,
  CohortCycle,
  CohortTooDeep,
  MultiKueueManager,
  // A workload that was evicted
  Preempted,
  PodsReadyTimeout,
  NodeFailures,
  Deactivated,
  // Why others are not moved for a gang
  VictimsNoFit,
  NoVictims,
  NeverMovesOthers,
  PreemptionDelay,
  UnfairExchange,
  // One gang that is not moved for another
  SameQueue,
  OtherQueue,
  NotPreemptible,
  PriorityNotLower,
  PlacedThisCycle,
  MinRuntime,
  DisruptionBudgetBlocks,
  // One node, one flavor of a workload
  NodeNotOfFlavor,
  LevelLabelMissing,
  // Codes that were added later
  DeactivatedDueToRequeuingLimitExceeded,
  WorkloadSlotsTaken,
  ResourceClaimNotUsable,
  GpuFractionBinderMissing,
  WorkloadStarts,
  Moved,
  WaitingForMovedWorkloads,
  WaitingForPromisedPlace,
  MovedForRoom,
  NotMovable,
  VolumeInUse,
  DiskInUse,
  TooManyVolumes,
  VolumeDriverMissing,
  VolumeNodeMismatch,
  NoVolumeForClaim,
  NotEnoughStorage,
  VolumeZoneMismatch,
  VolumeLost,
  VolumeClaimLeaving,
  VolumeClaimOfOther,
  VolumeClaimUnbound,
  VolumeNotFound,
  NoDevicesForClaim,
  DevicesTaken,
  DeviceClaimFails,
  DevicesOutOfReach,
  StartAppointed,
  BehindAppointment,
  NodesReserved,
  GpusInSlices,
  SlicesByAnnotation,
  End,  // no code; new codes stand before it
};

inline constexpr size_t kReasonCodes = static_cast<size_t>(ReasonCode::End);

// From the code's row (framework/reason_catalog.h).
std::string_view to_string(ReasonCode code);
bool more_nodes_help(ReasonCode code);

// How many nodes refuse a pod for the same cause.
struct VerdictCount {
  ReasonCode code = ReasonCode::None;
  ResourceId resource = {};      // with InsufficientResource
  std::string_view plugin = {};  // "" for the core
  int64_t nodes = 0;
  NodeId example = {};
  bool operator==(const VerdictCount&) const = default;
};

// The bound of a queue on a resource, with QueueOver...; amounts are in the resource's unit.
struct QueueBound {
  QueueResource resource = QueueResource::Gpu;
  int64_t asked = 0;    // by the gang
  int64_t held = 0;     // by the queue, without the gang
  int64_t allowed = 0;  // 0 unless the code is about a bound
  bool operator==(const QueueBound&) const = default;
};

// The shortage of one flavor's quota; amounts are in the resource's unit.
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
  VerdictCount limit = {};  // nodes that take pods, but fewer than their resources would
  std::string topology = {};
  std::string level = {};                 // label of the level
  std::vector<std::string> domain = {};   // the nearest domain, as a path
  std::string subgroup = {};              // the part of the gang that it is about; "" for all of it
  std::string subject = {};               // the name that is wrong: a queue, a level, ...
  QueueBound bound = {};                  // of queue `subject`
  std::vector<QuotaShortage> quota = {};  // with WaitingForQuota and ExceedsMaxQuota
  std::string flavor = {};                // that it is about; "" for none or all
  TimeUs at = kNoTime;                    // with StartAppointed, BehindAppointment, NodesReserved
  bool operator==(const Reason&) const = default;
};

}  // namespace trellis
