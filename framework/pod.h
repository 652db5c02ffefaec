// The record of a pod: its demands (PodSpec, interned as a pod class) and its state.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/container_demand.h"
#include "framework/device_claims.h"
#include "framework/ids.h"
#include "framework/node_features.h"
#include "framework/placement_preference.h"
#include "framework/pod_terms.h"
#include "framework/resources.h"
#include "framework/selectors.h"
#include "framework/shared_list.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "framework/time.h"
#include "framework/volumes.h"

namespace trellis {

// A request for parts of GPUs (KAI's gpu-fraction, gpu-memory, gpu-fraction-num-devices). Either
// `portion_milli` or `memory_mib` is set, or neither: the pod shares no GPU.
struct GpuShare {
  int32_t portion_milli = 0;  // of each device, 1..1000
  int64_t memory_mib = 0;     // of each device; the portion then depends on the node
  int32_t devices = 1;
  bool active() const { return portion_milli > 0 || memory_mib > 0; }
  auto operator<=>(const GpuShare&) const = default;
};

struct HostPort {
  StrId protocol;
  StrId address;  // "0.0.0.0" when not given
  int32_t port = 0;
  auto operator<=>(const HostPort&) const = default;
};

// The demands of a pod when it waits again after it left its node.
struct ReplacementDemand {
  ResourceList requests;
  SharedValue<PodDemand> demand;
  auto operator<=>(const ReplacementDemand&) const = default;
};

// All that scheduling reads of a pod's demands; pods with equal specs are of one pod class.
struct PodSpec {
  ResourceList requests;  // with kPods = 1; without the GPU share
  GpuShare gpu_share;
  Labels node_selector;
  std::vector<SelectorTerm> required_affinity;  // terms are alternatives
  bool has_required_affinity = false;           // with no terms: matches no node
  // The nodes where its allocated devices can be used; terms are alternatives. The plugin `devices`
  // reads them.
  std::vector<SelectorTerm> claim_terms;
  bool has_claim_terms = false;
  std::vector<PreferredTerm> preferred_affinity;
  std::vector<Toleration> tolerations;
  std::vector<HostPort> host_ports;
  NodeFeatures features;                        // that its node must declare
  std::vector<PodTerm> pod_affinity;            // required, all of them
  std::vector<PodTerm> pod_anti_affinity;       // required, all of them
  std::vector<WeightedPodTerm> preferred_pods;  // of both kinds
  std::vector<SpreadConstraint> spread;
  std::vector<PodSelectorId> matched;  // set by the cluster: selectors that select the pod; sorted
  SharedValue<PodDemand> demand;       // where the cluster has NUMA zones; else none
  PlacementPreferences placement;
  SharedValue<PodVolumes> volumes;  // none: it has no volumes that scheduling reads
  SharedValue<PodDevices> devices;  // none: it has no claims for devices
  // For a pod that was resized in place and holds something else, or that has devices; none: the
  // same as this spec.
  SharedValue<ReplacementDemand> replacement;
  auto operator<=>(const PodSpec&) const = default;
};

// Drops the demands of single containers, for clusters without NUMA zones.
void forget_demand(PodSpec& spec);
// For a pod that left its node and waits again: its demands become its `replacement`.
void become_replacement(PodSpec& spec);

enum class PodStatus : uint8_t {
  Pending,    // has no node
  Bound,      // has a node, does not run yet
  Pipelined,  // promised a node that pods are still leaving
  Running,
  Evicted,    // ran, was evicted in this cycle
  Releasing,  // was already leaving
  Succeeded,
  Failed,
};

std::string_view to_string(PodStatus status);

// Whether the pod no longer runs and never will.
inline bool has_finished(PodStatus status) {
  return status == PodStatus::Succeeded || status == PodStatus::Failed;
}

// Holds its node's resources now.
inline bool occupies_node(PodStatus status) {
  return status == PodStatus::Bound || status == PodStatus::Running ||
         status == PodStatus::Evicted || status == PodStatus::Releasing;
}

// Has a node, and was not evicted from it.
inline bool is_active(PodStatus status) {
  return status == PodStatus::Bound || status == PodStatus::Running;
}

// Will still be on its node once the leaving pods have left.
inline bool will_remain(PodStatus status) {
  return is_active(status) || status == PodStatus::Pipelined;
}

// Why a pending pod is held: it is not considered at all.
enum class PodHold : uint8_t {
  None,
  SchedulingGates,
  OtherScheduler,
  VolumeClaim,  // a claim is not there
  Workload,
  ResourceClaim,
  GpuFraction,  // no program would prepare its part of a GPU
  // A claim that is there, and cannot be used:
  VolumeLost,
  VolumeClaimLeaving,
  VolumeClaimOfOther,
  VolumeUnbound,
  VolumeNotFound,
  MigAnnotation,  // it names MIG slices by annotation alone
};

struct Pod {
  SharedText name;
  SharedText uid;
  StrId name_space;
  StrId gang;      // key "namespace/name" of its gang; the reader always sets one
  StrId subgroup;  // kNone: the gang itself
  StrId workload;  // key "namespace/name" of its workload; kNone: it belongs to none
  StrId pod_set;   // of its workload
  // The DaemonSet that made the pod, by name; kNone: the pod has no owner; kEmpty: it has another
  // owner.
  StrId daemon_set;
  StrId scheduler;             // schedulerName; kNone: not set
  int32_t order_priority = 0;  // label kai.scheduler/task-priority; higher first
  int32_t completion_index = -1;
  PodStatus status = PodStatus::Pending;
  PodHold hold = PodHold::None;
  bool finalizer = false;         // a leaving pod with a finalizer stays Releasing
  bool leader = false;            // master / head / launcher of its gang: placed first
  bool refused_by_zones = false;  // failed: its node's Topology Manager rejected it
  SharedText node;                // by name; empty when it has none
  SharedText promised;            // node that a pending pod was promised (nominatedNodeName)
  SharedList<StrId> gpu_groups;   // labels runai-gpu-group, of a pod that shares GPUs already
  TimeUs created = kNoTime;
  TimeUs started = kNoTime;
  TimeUs leaving_since = kNoTime;  // evicted
  Labels labels;
  SharedValue<PodContainers> containers;  // set where its class has a demand
  // Its waiting claims by name, in the order of its class; none: it has none.
  SharedValue<std::vector<StrId>> waiting_claims;
  // Its claims for devices by name: the needs of its class in their order, then the others; none:
  // it has none.
  SharedValue<std::vector<StrId>> device_claims;
  TimeUs finished = kNoTime;  // of a pod that failed on a node: when its last container ended
  bool operator==(const Pod&) const = default;
};

bool is_of_daemon_set(const Pod& pod);

// A pod in the cluster's table, names resolved.
struct PodSlot {
  Pod pod;
  PodClassId pod_class;
  NodeId node;  // kNone: it has no node, or the node is not in the cluster
  GangId gang;
  WorkloadId workload;  // kNone: it belongs to none
};

}  // namespace trellis
