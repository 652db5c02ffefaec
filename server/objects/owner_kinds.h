// The table of kinds that make pods: which of their pods are a gang, and where the pods' roles are
// specified. An owner of any other kind has one gang of all its pods, which needs one of them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace trellis {

enum class Grouping : uint8_t {
  Together,   // all pods of the owner
  EachPod,    // every pod is a gang
  EachBelow,  // the pods of every object that the owner makes, such as a Job of a CronJob
  EachGroup,  // the pods that have the same number in a label
};

// The part of an object that specifies the roles of its pods.
enum class RolesAt : uint8_t {
  Nowhere,
  Job,
  ReplicatedJobs,  // of a JobSet
  LeaderWorkers,   // of a LeaderWorkerSet: the roles of one group
  Template,
  ReplicaSpecs,  // of a kind of the training operator
  RayCluster,
  RayJob,
  Runtime,  // of a TrainJob: another object has them (server/objects/made_job_set.h)
};

// How many pods a gang of this kind needs.
enum class LeastPods : uint8_t {
  OfAJob,   // as many as its largest Job runs at once, since Jobs may run in turn; at least one
  OfRoles,  // the sum over its roles; where the object is not known, the sum over its Jobs
};

// The field of an object that stops its pods from running.
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
  bool queued = false;  // an object with Kueue's queue name makes a workload
  SuspendAt suspend = SuspendAt::Nowhere;
  // A segment may contain pods of several roles; the roles are then no subgroups.
  bool mixed_segments = false;
  std::string_view group_label = {};                 // EachGroup: the pods' label
  std::array<std::string_view, 2> role_labels = {};  // of pods; empty: the leader and the others
  // The class of pods that have no other source of a priority, as in KAI's pod grouper; empty:
  // `train`.
  std::string_view priority_class = {};
  std::string_view specs = {};                 // ReplicaSpecs: the field that has the roles,
  std::array<std::string_view, 5> order = {};  // and the order of the roles
};

// Labels of pods with the name of the owner that makes them.
inline constexpr std::array<std::string_view, 4> kOwnerNameLabels = {
    "jobset.sigs.k8s.io/jobset-name", "leaderworkerset.sigs.k8s.io/name",
    "training.kubeflow.org/job-name", "ray.io/cluster"};

// A Deployment's ReplicaSet is named DEPLOYMENT-HASH, and its pods have the hash in this label.
inline constexpr std::string_view kTemplateHash = "pod-template-hash";
// "": the ReplicaSet is of no Deployment.
std::string_view deployment_name(std::string_view replica_set, std::string_view hash);

std::span<const OwnerKind> owner_kinds();

// nullptr: the kind is not in the table.
const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind);

// Whether each pod below an owner of this kind is a gang of its own.
bool pods_stand_alone(std::string_view group, std::string_view kind);

}  // namespace trellis
