// The labels and annotations about the workload that a pod belongs to, or makes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/shared_value.h"
#include "framework/workload.h"
#include "server/document/field_reader.h"

namespace trellis {

inline constexpr std::string_view kQueueNameKey = "kueue.x-k8s.io/queue-name";
inline constexpr std::string_view kMovableKey = "trellis.scheduler/movable";
inline constexpr std::string_view kBackfillKey = "trellis.scheduler/backfill";
inline constexpr std::string_view kBackgroundKey = "trellis.scheduler/background";
inline constexpr std::string_view kJointGangKey = "trellis.scheduler/gang";
inline constexpr std::string_view kSparesKey = "trellis.scheduler/spares";
inline constexpr int32_t kMostSpares = 1024;
inline constexpr std::string_view kNearKey = "trellis.scheduler/near";
inline constexpr std::string_view kPromiseKey = "trellis.scheduler/promised-admission";
inline constexpr std::string_view kWorkerIndex = "leaderworkerset.sigs.k8s.io/worker-index";

struct WorkloadKeys {
  StrId workload;        // by name
  StrId pod_set;         // of the workload
  StrId queue;           // LocalQueue
  StrId priority_class;  // WorkloadPriorityClass
  StrId group;           // of pods that make one workload
  int32_t group_size = 0;
  std::string role;         // pods of a group that are of one PodSet
  TopologyRequest request;  // of a pod that makes its own workload
};

// null: metadata has none of these keys.
SharedValue<WorkloadKeys> decode_workload_keys(Value metadata, FieldReader& fields);

// The keys of a whole pod, with its role and its request, as the pod may make a workload itself.
SharedValue<WorkloadKeys> decode_pod_workload_keys(Value object, FieldReader& fields);

// Whether the owner of an object allows that what it describes moves; nullopt: it does not say.
// decode_movable() reports a value that is neither true nor false.
std::optional<bool> read_movable(Value metadata);
std::optional<bool> decode_movable(Value metadata, FieldReader& fields);

// Whether objects of this kind make workloads. If so, their pods do not.
bool makes_workloads(std::string_view group, std::string_view kind);

}  // namespace trellis
