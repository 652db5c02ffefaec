#include "server/objects/owner_kinds.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 2> kTrainingLabels = {"training.kubeflow.org/replica-type",
                                                             "training.kubeflow.org/job-role"};

constexpr OwnerKind training(std::string_view kind, std::string_view specs,
                             std::array<std::string_view, 5> order) {
  return {.group = "kubeflow.org",
          .kind = kind,
          .least = LeastPods::OfRoles,
          .roles = RolesAt::ReplicaSpecs,
          .queued = true,
          .suspend = SuspendAt::RunPolicy,
          .role_labels = kTrainingLabels,
          .specs = specs,
          .order = order};
}

constexpr std::array<OwnerKind, 20> kOwnerKinds = {{
    {.group = "batch",
     .kind = "Job",
     .roles = RolesAt::Job,
     .queued = true,
     .suspend = SuspendAt::Spec},
    {.group = "batch", .kind = "CronJob", .grouping = Grouping::EachBelow},
    {.group = "jobset.x-k8s.io",
     .kind = "JobSet",
     .least = LeastPods::OfRoles,
     .roles = RolesAt::ReplicatedJobs,
     .queued = true,
     .suspend = SuspendAt::Spec,
     .role_labels = {"jobset.sigs.k8s.io/replicatedjob-name"}},
    {.group = "leaderworkerset.x-k8s.io",
     .kind = "LeaderWorkerSet",
     .grouping = Grouping::EachGroup,
     .least = LeastPods::OfRoles,
     .roles = RolesAt::LeaderWorkers,
     .queued = true,
     .mixed_segments = true,
     .group_label = "leaderworkerset.sigs.k8s.io/group-index"},
    // The pods of these kinds are made one after the other, or each is useful alone.
    {.group = "apps", .kind = "StatefulSet", .roles = RolesAt::Template, .queued = true},
    {.group = "apps",
     .kind = "Deployment",
     .grouping = Grouping::EachPod,
     .priority_class = "inference"},
    {.group = "apps", .kind = "ReplicaSet", .grouping = Grouping::EachPod},
    {.group = "", .kind = "ReplicationController", .grouping = Grouping::EachPod},
    training("PyTorchJob", "pytorchReplicaSpecs", {"Master", "Worker"}),
    training("TFJob", "tfReplicaSpecs", {"Chief", "Master", "PS", "Worker", "Evaluator"}),
    training("XGBoostJob", "xgbReplicaSpecs", {"Master", "Worker"}),
    training("PaddleJob", "paddleReplicaSpecs", {"Master", "Worker"}),
    training("JAXJob", "jaxReplicaSpecs", {"Worker"}),
    training("MPIJob", "mpiReplicaSpecs", {"Launcher", "Worker"}),
    // A TrainJob makes a JobSet, which makes the pods.
    {.group = "trainer.kubeflow.org",
     .kind = "TrainJob",
     .grouping = Grouping::EachBelow,
     .roles = RolesAt::Runtime,
     .queued = true,
     .suspend = SuspendAt::Spec},
    {.group = "ray.io",
     .kind = "RayCluster",
     .least = LeastPods::OfRoles,
     .roles = RolesAt::RayCluster,
     .queued = true,
     .suspend = SuspendAt::Spec,
     .role_labels = {"ray.io/group"}},
    // The pod that submits is made when the cluster is ready: it is a gang of its own.
    {.group = "ray.io",
     .kind = "RayJob",
     .grouping = Grouping::EachBelow,
     .roles = RolesAt::RayJob,
     .queued = true,
     .suspend = SuspendAt::Spec},
    // While a RayService moves to a new cluster, it has two clusters.
    {.group = "ray.io", .kind = "RayService", .grouping = Grouping::EachBelow},
    {.group = "kubeflow.org", .kind = "Notebook", .priority_class = "build"},
    {.group = "serving.knative.dev", .kind = "Service", .priority_class = "inference"},
}};

}  // namespace

std::string_view deployment_name(std::string_view replica_set, std::string_view hash) {
  if (!replica_set.ends_with(hash)) return "";
  replica_set.remove_suffix(hash.size());
  if (!replica_set.ends_with('-')) return "";
  replica_set.remove_suffix(1);
  return replica_set;
}

std::span<const OwnerKind> owner_kinds() { return kOwnerKinds; }

const OwnerKind* find_owner_kind(std::string_view group, std::string_view kind) {
  for (const OwnerKind& known : kOwnerKinds) {
    if (known.kind == kind && known.group == group) return &known;
  }
  return nullptr;
}

bool pods_stand_alone(std::string_view group, std::string_view kind) {
  const OwnerKind* known = find_owner_kind(group, kind);
  return known != nullptr && known->grouping == Grouping::EachPod;
}

}  // namespace trellis
