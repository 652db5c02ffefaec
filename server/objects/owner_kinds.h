// The kinds of objects that make pods: which of their pods are a gang, and how the pods' roles are
// written. A kind that is not in the table has one gang of all its pods, which needs one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace trellis {

enum class Grouping : uint8_t {
  Together,   // all pods of the owner
  EachPod,    // every pod is a gang
  EachBelow,  // those of every object that the owner makes, such as a Job of a CronJob
  EachGroup,  // those that bear the same number in a label
};

// Where an object says which roles its pods have.
enum class RolesAt : uint8_t {
  Nowhere,
  Job,
  ReplicatedJobs,  // of a JobSet
  LeaderWorkers,   // of a LeaderWorkerSet: those of one group
  Template,
  ReplicaSpecs,  // of a training operator's kind
  RayCluster,
  RayJob,
};

// How many pods a gang of this kind needs.
enum class LeastPods : uint8_t {
  OfAJob,   // as many as its Job runs at once: Jobs may come one after the other; else one
  OfRoles,  // what its roles need together; where the object is not known, what its Jobs want
};

// Where an object says whether its pods may run.
enum class SuspendAt : uint8_t {
  Nowhere,
  Spec,       // spec.suspend
  RunPolicy,  // spec.runPolicy.suspend
};

struct OwnerKind {
  std::string_view group;
  std::string_view kind;
  Grouping grouping = Grouping::Together;
  LeastPods least = LeastPods::OfAJob;
  RolesAt roles = RolesAt::Nowhere;
  bool queued = false;  // with Kueue's queue name it makes a workload
  SuspendAt suspend = SuspendAt::Nowhere;
  // Segments run across the roles, which are no subgroups then.
  bool mixed_segments = false;
  std::string_view group_label = {};                 // EachGroup: the pods' label
  std::array<std::string_view, 2> role_labels = {};  // of pods; none: its leader and the others
  // Of its pods where nothing else gives them a priority, as KAI's pod grouper; none: `train`.
  std::string_view priority_class = {};
  std::string_view specs = {};                 // ReplicaSpecs: the field,
  std::array<std::string_view, 5> order = {};  // and how its roles count
};

std::span<const OwnerKind> owner_kinds();

// nullptr: it is not in the table.
const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind);

}  // namespace trellis
