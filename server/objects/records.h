// Decoded objects, before their references to each other are resolved.
#pragma once

#include <array>
#include <boost/container/deque.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/device_claims.h"
#include "framework/disruption_budget.h"
#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/name_space.h"
#include "framework/node.h"
#include "framework/node_request.h"
#include "framework/queue.h"
#include "framework/reservation.h"
#include "framework/selectors.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "framework/time.h"
#include "framework/topology.h"
#include "framework/volumes.h"
#include "server/document/object_error.h"
#include "server/document/place.h"
#include "server/objects/core_group_spec.h"
#include "server/objects/cycle_object.h"
#include "server/objects/owner_end.h"
#include "server/objects/workload_keys.h"
#include "server/system/page_allocator.h"
#include "session/cluster/objects.h"

namespace trellis {

// The name by which objects refer to each other. Two versions of a kind are one kind; a kind name
// in two groups is two kinds.
struct ObjectKey {
  StrId group;  // "" for the core group
  StrId kind;
  StrId name_space;
  StrId name;
  bool valid() const { return name.valid(); }
  auto operator<=>(const ObjectKey&) const = default;
};

struct Meta {
  ObjectKey key;
  SharedText uid;  // empty in the record of a pod, whose object has it
  TimeUs created = kNoTime;
  ObjectKey owner;  // the controller, else the first owner; not valid: none
  SourcePos pos;
  SharedValue<ObjectError> error;  // null: none, or its kind is not KeepBroken
  bool broken() const { return error != nullptr; }
};

// The topology of a constraint that names levels alone.
enum class ImpliedTopology : uint8_t {
  None,   // it must be named
  Only,   // the one that has the levels
  First,  // the one around it if that has the level, else the first by name that has it
};

// A constraint as it was written, with the location of each name in it.
struct PlacedConstraint {
  TopologyConstraint constraint;
  Place topology;
  Place required;
  Place preferred;
  ImpliedTopology implied = ImpliedTopology::None;
};

// A value, and its location in the input.
struct PlacedWord {
  StrId text;
  Place at;
  bool valid() const { return text.valid(); }
};

// The values of the keys about a gang's inner structure, not parsed yet.
struct StructureKeys {
  PlacedWord segment_size;
  PlacedWord segment_required;
  PlacedWord segment_preferred;
  PlacedWord segment_layers;  // several at once, as JSON
  PlacedWord balance;
  bool has_segment() const {
    return segment_size.valid() || segment_required.valid() || segment_preferred.valid();
  }
};

// The values of the keys about placement preferences, not parsed yet.
struct PreferenceKeys {
  PlacedWord list;  // as JSON
  PlacedWord max_per_node;
};

enum class Preemptibility : uint8_t { Unset, Preemptible, NonPreemptible, SemiPreemptible };

// The labels and annotations of an object that describe its gang. The same keys are read on pods,
// on their templates, on their owners and on PodGroups.
struct GangKeys {
  StrId pod_group;
  StrId queue;
  StrId priority_class;
  Preemptibility preemptibility = Preemptibility::Unset;
  std::optional<bool> movable;
  std::optional<bool> background;
  StrId near;
  std::optional<int32_t> spares;
  TimeUs run_time_us = kNoTime;             // expected; kNoTime: no such key
  StrId gang;                               // joins the pods of several owners
  SharedValue<PlacedConstraint> topology;   // null: no such key
  SharedValue<StructureKeys> structure;     // null: no such key
  SharedValue<PreferenceKeys> preferences;  // null: no such key
};

// A gang of Kubernetes itself (decode_core_group()) that a pod names.
struct CoreGroupName {
  ObjectKey key;   // of a PodGroup; or of kind Workload: its name, the group's and the copy's
  StrId workload;  // kNone: the pod names a PodGroup
  StrId group;     // of the workload
};

// A ResourceClaim that a pod names, in the pod's namespace.
struct ResourceClaimUse {
  StrId claim;            // kNone: the claim is not made yet
  bool made = false;      // from a template, for this pod or its PodGroup
  bool of_group = false;  // it is the claim of the pod's PodGroup, which has the same entry
  StrId entry;            // its name in the pod
  StrId of_template;      // by name
  bool extended = false;  // made by a scheduler, for extended resources
};

// A PersistentVolumeClaim that a pod names, in the pod's namespace.
struct VolumeClaimUse {
  StrId claim;
  bool made = false;             // with the pod, which owns it
  SharedValue<VolumeNeed> need;  // of a pod template: the pod's name and `claim` make the name
};

// The claims that a pod names.
struct PodClaims {
  std::vector<VolumeClaimUse> volumes;
  std::vector<ResourceClaimUse> devices;  // of resource.k8s.io
};

struct PodRecord {
  Meta meta;
  PodObject object;  // without its gang
  GangKeys keys;
  SharedValue<CoreGroupName> core_group;  // null: the pod names none
  SharedValue<Place> subgroup_at;         // null: the pod names no subgroup
  SharedValue<WorkloadKeys> workload;     // null: no such key
  std::optional<int32_t> priority;        // spec.priority
  StrId priority_class;                   // spec.priorityClassName
  bool moves_others = true;               // spec.preemptionPolicy is not Never
  bool has_ready_condition = false;       // its status says whether it is ready
  bool ready = false;                     // since `ready_since`, which may be unknown
  bool mig_annotation = false;            // it names MIG slices by annotation
  TimeUs ready_since = kNoTime;
  TimeUs deadline_us = kNoTime;   // spec.activeDeadlineSeconds; kNoTime: none
  SharedValue<PodClaims> claims;  // empty: the pod names none
};

// There may be millions: in blocks, whose memory is given back one after the other while the
// records become other objects.
inline constexpr size_t kPodBlockBytes = size_t{1} << 20;
using PodRecords = boost::container::deque<
    PodRecord, PageAllocator<PodRecord>,
    boost::container::deque_options<boost::container::block_bytes<kPodBlockBytes>>::type>;

struct ClaimRecord {
  Meta meta;
  StrId volume;        // spec.volumeName; kNone: none
  bool bound = false;  // to that volume, and the binding is complete
  bool lost = false;
  bool leaving = false;
  VolumeNeed need;
  StrId node;      // where its volume is to be made
  SharedText pod;  // the uid of the pod that it was made for; empty: for none
};

struct VolumeRecord {
  Meta meta;
  Volume volume;           // `claim`: the claim that it names
  SharedText claim_uid;    // that it names; empty: none
  bool available = false;  // it may be bound to any claim
  bool leaves = false;     // it is being deleted
  bool offered = false;    // set when it is linked: some claim may be bound to it
  std::optional<VolumeHandle> handle;
  std::vector<Requirement> zones;  // of its labels
};

struct StorageClassRecord {
  Meta meta;
  bool waits = false;  // its claims wait for the first pod
  StrId driver;        // kEmpty: none
  bool makes_volumes = true;
  std::vector<SelectorTerm> nodes;
};

// A CSIDriver.
struct VolumeDriverRecord {
  Meta meta;
  bool by_pool = false;   // its volumes are made where a pool has the room
  bool required = false;  // pods with its volumes run only where it is installed
};

// A CSINode.
struct NodeDriversRecord {
  Meta meta;
  std::vector<NodeDriver> drivers;
};

struct StoragePoolRecord {
  Meta meta;
  StoragePool pool;
  bool serves_nodes = false;  // it says which nodes
};

// A VolumeAttachment.
struct AttachmentRecord {
  Meta meta;
  StrId node;
  StrId volume;
};

enum class ResourceClaimState : uint8_t { NotAllocated, Allocated, NotReady, Leaving };

// A ResourceClaim of resource.k8s.io.
struct ResourceClaimRecord {
  Meta meta;
  ResourceClaimState state = ResourceClaimState::NotAllocated;
  std::optional<std::vector<SelectorTerm>> terms;  // alternatives for its pods' node; none: any
  std::string pod_uid;                             // of the pod that it was made for; or empty
  int64_t reservations = 0;                        // by pods and PodGroups
  std::vector<std::string> pods;                   // by uid, sorted
  std::vector<StrId> groups;                       // PodGroups, by name
  SharedValue<devices::Claim> claim;
  std::vector<std::string> pod_names;  // of `pods`, sorted
  bool made = false;                   // by the reader, of a template for a pod
  // The PodGroup all of whose pods share it, and no other pod: it is reserved for the group.
  StrId group;
  std::string group_uid;
};

// A ResourceClaimTemplate of resource.k8s.io.
struct ClaimTemplateRecord {
  Meta meta;
  SharedValue<devices::Claim> claim;  // without a name
  // With keep_raw: of the claims that are made of it, as JSON; "": none.
  std::string raw_labels;
  std::string raw_annotations;
  std::string raw_spec;
};

struct DeviceSliceRecord {
  Meta meta;
  DeviceSlice slice;
};

struct DeviceClassRecord {
  Meta meta;
  DeviceClass device_class;
};

struct DeviceTaintsRecord {
  Meta meta;
  DeviceTaints taints;
};

struct NodeRecord {
  Meta meta;
  Node node;
};

// A Node with neither spec nor status: its labels belong to the Node of its name.
struct NodeLabelsRecord {
  Meta meta;
  Node node;
  Place at;
};

struct NumaRecord {
  Meta meta;
  NumaTopology topology;
  std::vector<ZoneLeaver> left;
};

struct PriorityClassRecord {
  Meta meta;
  int32_t value = 0;
  bool global_default = false;
  bool moves_others = true;  // preemptionPolicy is not Never
};

struct TopologyRecord {
  Meta meta;
  Topology topology;
};

// The locations of a Queue's parent and of its amounts.
struct QueuePlaces {
  struct Share {
    Place quota;
    Place limit;
  };
  Place parent;
  Share gpu;
  Share cpu;
  Share memory;
};

struct QueueRecord {
  Meta meta;
  Queue queue;
  std::shared_ptr<const QueuePlaces> at;  // never null
};

struct SubgroupRecord {
  Subgroup subgroup;  // without its constraint
  SharedValue<PlacedConstraint> topology;
  bool inner = false;  // it has subgroups below it
};

struct PodGroupRecord {
  Meta meta;
  GangKeys keys;  // of its labels and annotations
  GangKeys spec;  // of its spec
  int32_t min_member = 1;
  int32_t min_subgroup = Subgroup::kAll;
  std::vector<SubgroupRecord> subgroups;  // parents before their children
  std::vector<Reason> errors;             // in the tree of subgroups, reported already
  std::optional<TimeUs> preemption_delay;
  std::optional<TimeUs> staleness_grace;
  TimeUs last_start = kNoTime;   // of its running pods
  TimeUs stale_since = kNoTime;  // since then it runs below its minimum
  bool calls_for_nodes = true;
  Place queue;                      // of the queue's name in the spec
  SharedValue<CoreGroupSpec> core;  // null: it is KAI's
};

// A Workload of Kubernetes itself: the groups that pods name.
struct GroupTemplatesRecord {
  Meta meta;
  std::vector<std::pair<StrId, PodGroupRecord>> groups;  // by name; without meta
};

// What every pod that is made from a template has.
struct PodTemplateRecord {
  PodRecord pod;  // without a name
  // With keep_raw, of the template, as JSON.
  std::string raw_annotations;
  std::string raw_finalizers;
  std::string raw_spec;
};

struct JobRecord : PodTemplateRecord {
  int64_t parallelism = 1;
  std::optional<int64_t> completions;
  bool indexed = false;
  bool over = false;  // suspended, complete or failed: no more pods
  int64_t succeeded = 0;
  int64_t backoff_limit = 6;
  TimeUs deadline_us = kNoTime;                        // spec.activeDeadlineSeconds; kNoTime: none
  std::vector<std::pair<int64_t, int64_t>> completed;  // ranges of indexes, both ends included
  Place parallelism_at;
  std::shared_ptr<const PodGroupRecord> scheduling;  // without meta; null: no spec.scheduling
};

// The pods that a controller makes from one template, numbered one after the other.
struct MadePods {
  std::shared_ptr<const PodTemplateRecord> of;
  int64_t pods = 0;
  std::string name;         // a pod's name is this and its number
  int64_t first_name = 0;   // the number in the name of the first pod
  bool numbered = true;     // false: the one pod has no number in its name
  int64_t first_index = 0;  // the number in the labels of the first pod
  std::vector<Label> labels;
  std::vector<StrId> index_labels;  // labels with a pod's number
  StrId name_label;                 // a label with a pod's name; not valid: none
  bool leads = false;               // Pod::leader
  int64_t index_base = -1;          // Pod::completion_index less the pod's number; -1: it has none
  StrId role;                       // by which pods that exist count as these; not valid: all do
};

// The pods that an owner's controller makes itself.
struct OwnerPods {
  std::vector<MadePods> roles;
  std::array<StrId, 2> role_labels;  // of pods; the first that a pod has says its role
  StrId owner_label;                 // of pods: the owner's name; not valid: none
  StrId api_version;                 // of the owner
  Place at;
};

// A role: the pods of a gang that do the same work, as their owner specifies.
struct RoleShape {
  StrId subgroup;     // not valid: the role has no name
  std::string label;  // the value of its pods' role label, in lower case
  int64_t pods = 1;
  int64_t parts = 1;  // Jobs that the pods are divided among
  int64_t least = 1;  // pods that the gang needs
  bool late = false;  // its pods are made when pods of other roles are ready
};

// The shape that an owner specifies for its gang, or for each of its gangs.
struct OwnerShape {
  std::vector<RoleShape> roles;
  std::optional<int64_t> min_available;  // pods of all roles that the gang needs
  bool leader_first = false;             // the other pods are made when the leader is ready
};

// Any object that may own pods, or own other owners of pods.
struct OwnerRecord {
  Meta meta;
  GangKeys keys;
  GangKeys of_template;
  std::shared_ptr<const OwnerShape> shape;  // null: its kind specifies no roles
  std::shared_ptr<const JobRecord> job;     // of a batch Job
  std::shared_ptr<const OwnerPods> pods;    // null: its controller makes none now
  // The owners that its controller makes, unless they are in the input.
  std::vector<std::shared_ptr<const OwnerRecord>> made;
  StrId schedule;  // of a CronJob that never ran: when the Job that it makes starts
  // JSON, of the objects that a JobSet is made of (grouping/train_jobs.h); null: any other object.
  std::shared_ptr<const std::string> text;
  OwnerEnd end = OwnerEnd::None;
  bool asks_scheduler = false;  // it names a queue or a scheduler
  bool used = false;            // it owns some pod, directly or through other owners
  bool held = false;            // a Job that makes no pods, as its workload is not admitted
  int64_t job_wanted = 1;       // pods of the Job at once; set when it is expanded
};

struct BudgetRecord {
  Meta meta;
  DisruptionBudget budget;
};

struct NodeRequestRecord {
  Meta meta;
  NodeRequest request;
};

struct ReservationRecord {
  Meta meta;
  Reservation reservation;
};

struct NameSpaceRecord {
  Meta meta;
  NameSpace name_space;
};

struct Records {
  std::vector<NameSpaceRecord> name_spaces;
  std::vector<NumaRecord> numas;
  std::vector<NodeRecord> nodes;
  std::vector<NodeLabelsRecord> node_labels;
  PodRecords pods;
  std::vector<PriorityClassRecord> priority_classes;
  std::vector<TopologyRecord> topologies;
  std::vector<QueueRecord> queues;
  std::vector<PodGroupRecord> pod_groups;
  std::vector<OwnerRecord> owners;
  std::vector<BudgetRecord> budgets;
  std::vector<NodeRequestRecord> node_requests;
  std::vector<ReservationRecord> reservations;
  std::vector<ClaimRecord> claims;
  std::vector<VolumeRecord> volumes;
  std::vector<StorageClassRecord> storage_classes;
  std::vector<VolumeDriverRecord> volume_drivers;
  std::vector<NodeDriversRecord> node_drivers;
  std::vector<StoragePoolRecord> storage_pools;
  std::vector<AttachmentRecord> attachments;
  std::vector<ResourceClaimRecord> resource_claims;
  std::vector<ClaimTemplateRecord> claim_templates;
  std::vector<DeviceSliceRecord> device_slices;
  std::vector<DeviceClassRecord> device_classes;
  std::vector<DeviceTaintsRecord> device_taints;
  std::vector<GroupTemplatesRecord> group_templates;
  std::optional<CycleObject> cycle;
};

}  // namespace trellis
