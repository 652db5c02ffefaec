// Decoders of the objects that Trellis reads, by kind (server/objects/kinds.h); pods have a decoder
// of their own, decode_pod.h.
//
// A decoder makes the whole record of one object as it is written, and reports what it does not
// understand through the field reader, which keeps file, line and path. record_keeper.h decides
// what becomes of a record with errors. What a record says of other objects is resolved later.
// Cost: O(size of the object).
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "framework/shared_value.h"
#include "framework/workload.h"
#include "server/document/document.h"
#include "server/document/field_reader.h"
#include "server/objects/cycle_object.h"
#include "server/objects/decode_pod.h"
#include "server/objects/kueue_records.h"
#include "server/objects/records.h"

namespace trellis {

// v1 Node and Namespace.
NodeRecord decode_node(NamedObject named, FieldReader& fields);
// Whether the object has labels for another Node of its name, and nothing else of a Node.
bool has_labels_alone(Value node);
NodeLabelsRecord decode_node_labels(NamedObject named, FieldReader& fields);
NameSpaceRecord decode_name_space(NamedObject named, FieldReader& fields);

// PodGroup scheduling.run.ai/v2alpha2.

// The annotation of a PodGroup that was made for the pods of its owner: the owner's name, and the
// number of the group where the owner has several.
inline constexpr std::string_view kMadeForKey = "trellis.scheduler/made-for";

// `keys.pod_group` names the gang that the PodGroup was made for; not valid:
// it was made for none.
PodGroupRecord decode_pod_group(NamedObject named, FieldReader& fields);

// The gangs of Kubernetes itself: scheduling.k8s.io. From v1alpha2 on (Kubernetes 1.36; 1.37 has
// v1beta1 and v1alpha3) a pod names a PodGroup, which has its own copy of what a Workload
// specifies. In v1alpha1 a pod names a group of a Workload, and perhaps, by a key, one of several
// equal copies of that group.
PodGroupRecord decode_core_pod_group(NamedObject named, FieldReader& fields);
// A group of groups, from v1alpha3 on: its children name it (server/grouping/core_trees.h).
PodGroupRecord decode_composite_pod_group(NamedObject named, FieldReader& fields);
GroupTemplatesRecord decode_group_templates(NamedObject named, FieldReader& fields);

// The spec.scheduling of a Job with so many pods at once, from Kubernetes 1.37 on: its controller
// makes a PodGroup of it. Null: the Job has none.
std::shared_ptr<const PodGroupRecord> decode_job_scheduling(Value spec, int64_t parallelism,
                                                            FieldReader& fields);

// The PodGroup, or the group of a Workload, that a pod names; null: the pod names none.
SharedValue<CoreGroupName> decode_core_group(Value metadata, Value spec, FieldReader& fields);

// batch/v1 Job.
std::shared_ptr<const JobRecord> decode_job(Value object, PodDecoder& pods, FieldReader& fields,
                                            bool keep_raw);

// Topology of kueue.x-k8s.io and of kai.scheduler, in any version.

// The level of a node's NUMA zones: the last one, below the hostname. No node has this label.
inline constexpr std::string_view kNumaZoneLevel = "trellis.scheduler/numa-zone";

TopologyRecord decode_topology(NamedObject named, FieldReader& fields);

// Queue scheduling.run.ai/v2 and PriorityClass scheduling.k8s.io/v1.
QueueRecord decode_queue(NamedObject named, FieldReader& fields);
// Whether the preemptionPolicy of a priority class, or of a pod's spec, is not Never.
bool decode_moves_others(Value parent, FieldReader& fields);
PriorityClassRecord decode_priority_class(NamedObject named, FieldReader& fields);

// Reservation trellis.scheduler/v1alpha1.
ReservationRecord decode_reservation(NamedObject named, FieldReader& fields);

// PodDisruptionBudget policy/v1.
BudgetRecord decode_budget(NamedObject named, FieldReader& fields);

// The access mode of a claim that one pod may use at a time.
inline constexpr std::string_view kOnePodMode = "ReadWriteOncePod";
inline constexpr AccessModes kOnePod = 1U << 3;

// The labels of a volume that name the zones or regions of its nodes, newer names first.
inline constexpr std::array<std::string_view, 4> kZoneLabels = {
    "topology.kubernetes.io/zone", "topology.kubernetes.io/region",
    "failure-domain.beta.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/region"};

// ProvisioningRequest of autoscaling.x-k8s.io, v1 and v1beta1.

// The annotation of a ProvisioningRequest that was made for a gang: the gang's name.
inline constexpr std::string_view kForGangKey = "trellis.scheduler/gang";

NodeRequestRecord decode_node_request(NamedObject named, FieldReader& fields);

// PersistentVolumeClaim and PersistentVolume v1: where the pods that use them can run.
ClaimRecord decode_claim(NamedObject named, FieldReader& fields);
VolumeRecord decode_volume(NamedObject named, FieldReader& fields);

// storage.k8s.io: StorageClass, CSIDriver, CSINode, CSIStorageCapacity, VolumeAttachment.
StorageClassRecord decode_storage_class(NamedObject named, FieldReader& fields);
VolumeDriverRecord decode_volume_driver(NamedObject named, FieldReader& fields);
NodeDriversRecord decode_node_drivers(NamedObject named, FieldReader& fields);
StoragePoolRecord decode_storage_pool(NamedObject named, FieldReader& fields);
AttachmentRecord decode_attachment(NamedObject named, FieldReader& fields);

// The disk that this volume of a pod is, without a claim; none: it is another kind of volume.
std::optional<InlineDisk> decode_inline_disk(Value volume, FieldReader& fields);

// The name of the claim that this volume of a pod uses; for a generic ephemeral volume, of the
// claim that is made with the pod. "": the volume uses no claim, or the pod has no name yet.
std::string volume_claim(Value volume, std::string_view pod);

// What a claim requires that will be made from `claim_template`, with a pod.
VolumeNeed decode_claim_need(Value claim_template, FieldReader& fields);

// The part of a ResourceClaim of resource.k8s.io that decides where the pods that use it can run:
// its status. Versions v1, v1beta2 and v1beta1 do not differ there.
ResourceClaimRecord decode_resource_claim(NamedObject named, FieldReader& fields);
// What its claims get of a ResourceClaimTemplate; a template with errors makes none.
ClaimTemplateRecord decode_claim_template(NamedObject named, FieldReader& fields);
// ResourceSlice, DeviceClass, DeviceTaintRule. Wrong values of single devices make these devices
// unusable (server/devices/decode_devices.h).
DeviceSliceRecord decode_device_slice(NamedObject named, FieldReader& fields);
DeviceClassRecord decode_class_of_devices(NamedObject named, FieldReader& fields);
DeviceTaintsRecord decode_device_taints(NamedObject named, FieldReader& fields);

// The claims that a pod uses: those that its spec names, and those that were made from a template,
// which its status names. An entry for which no claim is needed is left out.
std::vector<ResourceClaimUse> decode_resource_claim_uses(Value spec, Value status,
                                                         FieldReader& fields);

// NodeResourceTopology objects: the NUMA zones of the node whose name they bear.
// Reads v1alpha2 and v1alpha1. Zones of v1alpha1 may lack `available`: the amount `allocatable` is
// then free. Zones of other types than Node are checked and left out.
NumaRecord decode_numa(NamedObject named, FieldReader& fields);

// A saved cycle: kind Cycle of trellis.scheduler/v1alpha1.
CycleObject decode_cycle(Value object, FieldReader& fields);

// kueue.x-k8s.io ResourceFlavor.
FlavorRecord decode_flavor(NamedObject named, FieldReader& fields);

// kueue.x-k8s.io ClusterQueue, Cohort, LocalQueue and AdmissionCheck.
ClusterQueueRecord decode_cluster_queue(NamedObject named, FieldReader& fields);
CohortRecord decode_cohort(NamedObject named, FieldReader& fields);
LocalQueueRecord decode_local_queue(NamedObject named, FieldReader& fields);
AdmissionCheckRecord decode_admission_check(NamedObject named, FieldReader& fields);

// kueue.x-k8s.io Workload.
WorkloadRecord decode_workload(NamedObject named, PodDecoder& pods, FieldReader& fields);

// Checks the name of one more PodSet, which is written at `at`. True: one of `sets` has this name
// already. A second use of a name and a malformed name are reported as errors.
bool check_pod_set_name(Value at, StrId name, std::span<const PodSet> sets, FieldReader& fields);

// apps/v1 DaemonSet.
DaemonSetRecord decode_daemon_set(NamedObject named, PodDecoder& pods, FieldReader& fields);

}  // namespace trellis
