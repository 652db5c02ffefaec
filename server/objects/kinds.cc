#include "server/objects/kinds.h"

#include <algorithm>
#include <array>

#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 1> kV1 = {"v1"};
constexpr std::array<std::string_view, 3> kV1AndBefore = {"v1", "v1beta1", "v1alpha1"};
constexpr std::array<std::string_view, 1> kV2 = {"v2"};
constexpr std::array<std::string_view, 1> kV2Alpha2 = {"v2alpha2"};
constexpr std::array<std::string_view, 3> kKueue = {"v1beta2", "v1beta1", "v1alpha1"};
constexpr std::array<std::string_view, 2> kKueueBeta = {"v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 1> kV1Alpha1 = {"v1alpha1"};

constexpr std::array<std::string_view, 2> kNodeTopology = {"v1alpha2", "v1alpha1"};

constexpr std::array<std::string_view, 3> kResource = {"v1", "v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 4> kCoreGroups = {"v1beta1", "v1alpha3", "v1alpha2",
                                                         "v1alpha1"};
constexpr std::array<std::string_view, 3> kCorePodGroup = {"v1beta1", "v1alpha3", "v1alpha2"};
constexpr std::array<std::string_view, 2> kV1AndAlpha = {"v1", "v1alpha1"};
constexpr std::array<std::string_view, 1> kJobSet = {"v1alpha2"};
constexpr std::array<std::string_view, 2> kMpi = {"v2beta1", "v1"};

constexpr OnError kLeaveOut = OnError::LeaveOut;
constexpr OnError kKeepBroken = OnError::KeepBroken;
constexpr OnError kKeepRest = OnError::KeepRest;

constexpr std::array<Kind, 41> kKinds = {{
    {KindId::Node, "", "Node", kV1, false, kLeaveOut},
    {KindId::Pod, "", "Pod", kV1, true, kKeepBroken},
    {KindId::Namespace, "", "Namespace", kV1, false, kLeaveOut},
    {KindId::PriorityClass, "scheduling.k8s.io", "PriorityClass", kV1AndBefore, false, kLeaveOut},
    {KindId::Job, "batch", "Job", kV1, true, kKeepBroken},
    {KindId::Topology, "kueue.x-k8s.io", "Topology", kKueue, false, kKeepBroken},
    {KindId::Topology, "kai.scheduler", "Topology", kV1Alpha1, false, kKeepBroken},
    {KindId::PodGroup, "scheduling.run.ai", "PodGroup", kV2Alpha2, true, kKeepBroken},
    {KindId::Queue, "scheduling.run.ai", "Queue", kV2, false, kKeepBroken},
    {KindId::DisruptionBudget, "policy", "PodDisruptionBudget", kV1, true, kLeaveOut},
    {KindId::VolumeClaim, "", "PersistentVolumeClaim", kV1, true, kLeaveOut},
    {KindId::Volume, "", "PersistentVolume", kV1, false, kKeepBroken},
    {KindId::ResourceClaim, "resource.k8s.io", "ResourceClaim", kResource, true, kKeepBroken},
    {KindId::GroupTemplates, "scheduling.k8s.io", "Workload", kCoreGroups, true, kKeepBroken},
    {KindId::CorePodGroup, "scheduling.k8s.io", "PodGroup", kCorePodGroup, true, kKeepBroken},
    {KindId::Flavor, "kueue.x-k8s.io", "ResourceFlavor", kKueueBeta, false, kKeepBroken},
    {KindId::ClusterQueue, "kueue.x-k8s.io", "ClusterQueue", kKueueBeta, false, kKeepBroken},
    {KindId::LocalQueue, "kueue.x-k8s.io", "LocalQueue", kKueueBeta, true, kKeepBroken},
    {KindId::Cohort, "kueue.x-k8s.io", "Cohort", kKueue, false, kKeepBroken},
    {KindId::WorkloadPriorityClass, "kueue.x-k8s.io", "WorkloadPriorityClass", kKueueBeta, false,
     kLeaveOut},
    {KindId::AdmissionCheck, "kueue.x-k8s.io", "AdmissionCheck", kKueueBeta, false, kLeaveOut},
    {KindId::Workload, "kueue.x-k8s.io", "Workload", kKueueBeta, true, kKeepBroken},
    {KindId::DaemonSet, "apps", "DaemonSet", kV1, true, kLeaveOut},
    {KindId::NodeTopology, "topology.node.k8s.io", "NodeResourceTopology", kNodeTopology, false,
     kLeaveOut},
    {KindId::Owner, "batch", "CronJob", kV1, true, kKeepBroken},
    {KindId::Owner, "apps", "StatefulSet", kV1, true, kKeepBroken},
    {KindId::Owner, "apps", "ReplicaSet", kV1, true, kKeepBroken},
    {KindId::Owner, "apps", "Deployment", kV1, true, kKeepBroken},
    {KindId::Owner, "jobset.x-k8s.io", "JobSet", kJobSet, true, kKeepBroken},
    {KindId::Owner, "leaderworkerset.x-k8s.io", "LeaderWorkerSet", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "PyTorchJob", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "TFJob", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "XGBoostJob", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "PaddleJob", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "JAXJob", kV1, true, kKeepBroken},
    {KindId::Owner, "kubeflow.org", "MPIJob", kMpi, true, kKeepBroken},
    {KindId::Owner, "trainer.kubeflow.org", "TrainJob", kV1Alpha1, true, kKeepBroken},
    {KindId::Owner, "ray.io", "RayCluster", kV1AndAlpha, true, kKeepBroken},
    {KindId::Owner, "ray.io", "RayJob", kV1AndAlpha, true, kKeepBroken},
    {KindId::Owner, "ray.io", "RayService", kV1AndAlpha, true, kKeepBroken},
    {KindId::Cycle, "trellis.scheduler", "Cycle", kV1Alpha1, false, kKeepRest},
}};

// The edit distance up to which a kind, or a group, counts as misspelt and not as another one.
constexpr int kSlip = 1;
constexpr int kGroupSlip = 2;

}  // namespace

std::span<const Kind> known_kinds() { return kKinds; }

const Kind* find_kind(std::string_view group, std::string_view kind) {
  for (const Kind& known : kKinds) {
    if (known.group == group && known.kind == kind) return &known;
  }
  return nullptr;
}

bool is_known_kind_name(std::string_view kind) {
  return std::any_of(kKinds.begin(), kKinds.end(), [&](const Kind& known) {
    return known.kind == kind && known.id != KindId::Owner;
  });
}

std::string_view near_kind(std::string_view group, std::string_view kind) {
  for (const Kind& known : kKinds) {
    if (known.group != group || known.kind == kind) continue;
    if (edit_distance(known.kind, kind) <= kSlip) return known.kind;
  }
  return "";
}

std::string_view near_group(std::string_view group, std::string_view kind) {
  for (const Kind& known : kKinds) {
    if (known.kind != kind || known.group == group || known.group.empty()) continue;
    if (edit_distance(known.group, group) <= kGroupSlip) return known.group;
  }
  return "";
}

}  // namespace trellis
