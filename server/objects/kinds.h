// The kinds that are read, and suggestions for kinds that are misspelt.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace trellis {

enum class KindId : uint8_t {
  Node,
  Pod,
  Namespace,
  PriorityClass,
  Job,
  Topology,
  PodGroup,
  Queue,
  DisruptionBudget,
  VolumeClaim,
  Volume,
  ResourceClaim,
  GroupTemplates,  // Kubernetes' own Workload
  CorePodGroup,    // and its PodGroup
  Flavor,
  ClusterQueue,
  LocalQueue,
  Cohort,
  WorkloadPriorityClass,
  AdmissionCheck,
  Workload,
  DaemonSet,
  NodeTopology,
  Owner,  // of pods, as those that are not known may be, too
  Cycle,  // bears no name
  Other,  // perhaps an owner of pods; else skipped
};

// What becomes of an object with an error (README.md).
enum class OnError : uint8_t {
  LeaveOut,    // half of it would be taken for the whole
  KeepBroken,  // it is marked with the error, and what depends on it waits or says so
  KeepRest,    // what can be read of it counts
};

struct Kind {
  KindId id;
  std::string_view group;
  std::string_view kind;
  std::span<const std::string_view> versions;  // empty: any
  bool namespaced;
  OnError on_error;
};

// All of them; a name in two groups is two kinds.
std::span<const Kind> known_kinds();

// nullptr: not a kind that is read.
const Kind* find_kind(std::string_view group, std::string_view kind);

// Whether some kind of this name is read in whichever group, not only as an owner.
bool is_known_kind_name(std::string_view kind);

// The kind, in this group, that this word is a slip of; "" when there is none.
std::string_view near_kind(std::string_view group, std::string_view kind);
// The group of a kind of this name that this word is a slip of; "" when there is none.
std::string_view near_group(std::string_view group, std::string_view kind);

}  // namespace trellis
