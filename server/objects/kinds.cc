#include "server/objects/kinds.h"

#include <algorithm>
#include <array>
#include <type_traits>
#include <utility>

#include "server/objects/decoders.h"
#include "server/objects/record_keeper.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

constexpr std::array<std::string_view, 1> kV1 = {"v1"};
constexpr std::array<std::string_view, 3> kV1AndBefore = {"v1", "v1beta1", "v1alpha1"};
constexpr std::array<std::string_view, 2> kV1AndBeta = {"v1", "v1beta1"};
constexpr std::array<std::string_view, 1> kV2 = {"v2"};
constexpr std::array<std::string_view, 1> kV2Alpha2 = {"v2alpha2"};
constexpr std::array<std::string_view, 3> kKueue = {"v1beta2", "v1beta1", "v1alpha1"};
constexpr std::array<std::string_view, 2> kKueueBeta = {"v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 1> kV1Alpha1 = {"v1alpha1"};

constexpr std::array<std::string_view, 2> kNodeRequest = {"v1", "v1beta1"};
constexpr std::array<std::string_view, 2> kNodeTopology = {"v1alpha2", "v1alpha1"};

constexpr std::array<std::string_view, 3> kResource = {"v1", "v1beta2", "v1beta1"};
constexpr std::array<std::string_view, 3> kTaintRule = {"v1", "v1beta2", "v1alpha3"};
constexpr std::array<std::string_view, 4> kCoreGroups = {"v1beta1", "v1alpha3", "v1alpha2",
                                                         "v1alpha1"};
constexpr std::array<std::string_view, 3> kCorePodGroup = {"v1beta1", "v1alpha3", "v1alpha2"};
constexpr std::array<std::string_view, 1> kV1Alpha3 = {"v1alpha3"};
constexpr std::array<std::string_view, 2> kV1AndAlpha = {"v1", "v1alpha1"};
constexpr std::array<std::string_view, 1> kJobSet = {"v1alpha2"};
constexpr std::array<std::string_view, 2> kMpi = {"v2beta1", "v1"};

constexpr OnError kLeaveOut = OnError::LeaveOut;
constexpr OnError kKeepBroken = OnError::KeepBroken;
constexpr OnError kKeepRest = OnError::KeepRest;

constexpr KeyKind kNothing = KeyKind::Nothing;
constexpr KeyKind kEverything = KeyKind::Everything;
constexpr KeyKind kName = KeyKind::Name;

PodRecord decode_pod(NamedObject named, PodDecoder& pods, FieldReader& /*fields*/) {
  return pods.decode(std::move(named));
}

template <auto kList, auto kDecode>
void add_record(NamedObject named, PodDecoder& pods, FieldReader& fields,
                const RecordKeeper& keeper) {
  if constexpr (std::is_invocable_v<decltype(kDecode), NamedObject, FieldReader&>) {
    keeper.keep(kDecode(std::move(named), fields), kList);
  } else {
    keeper.keep(kDecode(std::move(named), pods, fields), kList);
  }
}

constexpr std::array<Kind, 55> kKinds = {{
    {KindId::Node, "", "Node", kV1, false, kLeaveOut, KeyKind::Node,
     add_record<&Records::nodes, decode_node>},
    {KindId::Pod, "", "Pod", kV1, true, kKeepBroken, kName, add_record<&Records::pods, decode_pod>},
    {KindId::Namespace, "", "Namespace", kV1, false, kLeaveOut, kNothing,
     add_record<&Records::name_spaces, decode_name_space>},
    {KindId::PriorityClass, "scheduling.k8s.io", "PriorityClass", kV1AndBefore, false, kLeaveOut,
     kEverything, add_record<&Records::priority_classes, decode_priority_class>},
    {KindId::Job, "batch", "Job", kV1, true, kKeepBroken, kName},
    {KindId::Topology, "kueue.x-k8s.io", "Topology", kKueue, false, kKeepBroken, kEverything,
     add_record<&Records::topologies, decode_topology>},
    {KindId::Topology, "kai.scheduler", "Topology", kV1Alpha1, false, kKeepBroken, kEverything,
     add_record<&Records::topologies, decode_topology>},
    {KindId::PodGroup, "scheduling.run.ai", "PodGroup", kV2Alpha2, true, kKeepBroken, kName,
     add_record<&Records::pod_groups, decode_pod_group>},
    {KindId::Queue, "scheduling.run.ai", "Queue", kV2, false, kKeepBroken, kEverything,
     add_record<&Records::queues, decode_queue>},
    {KindId::DisruptionBudget, "policy", "PodDisruptionBudget", kV1, true, kLeaveOut, kNothing,
     add_record<&Records::budgets, decode_budget>},
    {KindId::NodeRequest, "autoscaling.x-k8s.io", "ProvisioningRequest", kNodeRequest, true,
     kLeaveOut, kNothing, add_record<&Records::node_requests, decode_node_request>},
    {KindId::Reservation, "trellis.scheduler", "Reservation", kV1Alpha1, false, kLeaveOut, kNothing,
     add_record<&Records::reservations, decode_reservation>},
    {KindId::VolumeClaim, "", "PersistentVolumeClaim", kV1, true, kLeaveOut, KeyKind::Claim,
     add_record<&Records::claims, decode_claim>},
    {KindId::Volume, "", "PersistentVolume", kV1, false, kKeepBroken, KeyKind::Volume,
     add_record<&Records::volumes, decode_volume>},
    {KindId::StorageClass, "storage.k8s.io", "StorageClass", kV1AndBeta, false, kLeaveOut,
     kEverything, add_record<&Records::storage_classes, decode_storage_class>},
    {KindId::VolumeDriver, "storage.k8s.io", "CSIDriver", kV1AndBeta, false, kLeaveOut, kEverything,
     add_record<&Records::volume_drivers, decode_volume_driver>},
    {KindId::NodeDrivers, "storage.k8s.io", "CSINode", kV1AndBeta, false, kLeaveOut, KeyKind::Node,
     add_record<&Records::node_drivers, decode_node_drivers>},
    {KindId::StoragePool, "storage.k8s.io", "CSIStorageCapacity", kV1AndBeta, true, kLeaveOut,
     kNothing, add_record<&Records::storage_pools, decode_storage_pool>},
    {KindId::VolumeAttachment, "storage.k8s.io", "VolumeAttachment", kV1AndBeta, false, kLeaveOut,
     kNothing, add_record<&Records::attachments, decode_attachment>},
    {KindId::ResourceClaim, "resource.k8s.io", "ResourceClaim", kResource, true, kKeepBroken,
     KeyKind::ResourceClaim, add_record<&Records::resource_claims, decode_resource_claim>},
    {KindId::ClaimTemplate, "resource.k8s.io", "ResourceClaimTemplate", kResource, true,
     kKeepBroken, kNothing, add_record<&Records::claim_templates, decode_claim_template>},
    {KindId::DeviceSlice, "resource.k8s.io", "ResourceSlice", kResource, false, kLeaveOut, kNothing,
     add_record<&Records::device_slices, decode_device_slice>},
    {KindId::DeviceClass, "resource.k8s.io", "DeviceClass", kResource, false, kLeaveOut,
     kEverything, add_record<&Records::device_classes, decode_class_of_devices>},
    {KindId::DeviceTaints, "resource.k8s.io", "DeviceTaintRule", kTaintRule, false, kLeaveOut,
     kNothing, add_record<&Records::device_taints, decode_device_taints>},
    {KindId::GroupTemplates, "scheduling.k8s.io", "Workload", kCoreGroups, true, kKeepBroken, kName,
     add_record<&Records::group_templates, decode_group_templates>},
    {KindId::CorePodGroup, "scheduling.k8s.io", "PodGroup", kCorePodGroup, true, kKeepBroken, kName,
     add_record<&Records::pod_groups, decode_core_pod_group>},
    {KindId::CompositePodGroup, "scheduling.k8s.io", "CompositePodGroup", kV1Alpha3, true,
     kKeepBroken, kName, add_record<&Records::pod_groups, decode_composite_pod_group>},
    {KindId::Flavor, "kueue.x-k8s.io", "ResourceFlavor", kKueueBeta, false, kKeepBroken,
     kEverything, add_record<&KueueRecords::flavors, decode_flavor>},
    {KindId::ClusterQueue, "kueue.x-k8s.io", "ClusterQueue", kKueueBeta, false, kKeepBroken,
     kEverything, add_record<&KueueRecords::cluster_queues, decode_cluster_queue>},
    {KindId::LocalQueue, "kueue.x-k8s.io", "LocalQueue", kKueueBeta, true, kKeepBroken,
     KeyKind::LocalQueue, add_record<&KueueRecords::local_queues, decode_local_queue>},
    {KindId::Cohort, "kueue.x-k8s.io", "Cohort", kKueue, false, kKeepBroken, kEverything,
     add_record<&KueueRecords::cohorts, decode_cohort>},
    {KindId::WorkloadPriorityClass, "kueue.x-k8s.io", "WorkloadPriorityClass", kKueueBeta, false,
     kLeaveOut, kEverything, add_record<&KueueRecords::priority_classes, decode_priority_class>},
    {KindId::AdmissionCheck, "kueue.x-k8s.io", "AdmissionCheck", kKueueBeta, false, kLeaveOut,
     kEverything, add_record<&KueueRecords::checks, decode_admission_check>},
    {KindId::Workload, "kueue.x-k8s.io", "Workload", kKueueBeta, true, kKeepBroken, kName,
     add_record<&KueueRecords::workloads, decode_workload>},
    {KindId::DaemonSet, "apps", "DaemonSet", kV1, true, kLeaveOut, kName,
     add_record<&KueueRecords::daemon_sets, decode_daemon_set>},
    {KindId::NodeTopology, "topology.node.k8s.io", "NodeResourceTopology", kNodeTopology, false,
     kLeaveOut, KeyKind::Node, add_record<&Records::numas, decode_numa>},
    {KindId::Owner, "batch", "CronJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "apps", "StatefulSet", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "apps", "ReplicaSet", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "apps", "Deployment", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "jobset.x-k8s.io", "JobSet", kJobSet, true, kKeepBroken, kName},
    {KindId::Owner, "leaderworkerset.x-k8s.io", "LeaderWorkerSet", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "PyTorchJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "TFJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "XGBoostJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "PaddleJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "JAXJob", kV1, true, kKeepBroken, kName},
    {KindId::Owner, "kubeflow.org", "MPIJob", kMpi, true, kKeepBroken, kName},
    {KindId::Owner, "trainer.kubeflow.org", "TrainJob", kV1Alpha1, true, kKeepBroken, kName},
    {KindId::Owner, "trainer.kubeflow.org", "TrainingRuntime", kV1Alpha1, true, kKeepBroken,
     kEverything},
    {KindId::Owner, "trainer.kubeflow.org", "ClusterTrainingRuntime", kV1Alpha1, false, kKeepBroken,
     kEverything},
    {KindId::Owner, "ray.io", "RayCluster", kV1AndAlpha, true, kKeepBroken, kName},
    {KindId::Owner, "ray.io", "RayJob", kV1AndAlpha, true, kKeepBroken, kName},
    {KindId::Owner, "ray.io", "RayService", kV1AndAlpha, true, kKeepBroken, kName},
    {KindId::Cycle, "trellis.scheduler", "Cycle", kV1Alpha1, false, kKeepRest, kEverything},
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
