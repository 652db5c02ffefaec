// The table of kinds that are read, with their decoders and lists, and suggestions for misspelt
// kinds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "server/objects/dependencies.h"

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
  NodeRequest,  // a ProvisioningRequest
  Reservation,
  VolumeClaim,
  Volume,
  StorageClass,
  VolumeDriver,  // CSIDriver
  NodeDrivers,   // CSINode
  StoragePool,   // CSIStorageCapacity
  VolumeAttachment,
  ResourceClaim,
  ClaimTemplate,  // ResourceClaimTemplate
  DeviceSlice,    // ResourceSlice
  DeviceClass,
  DeviceTaints,    // DeviceTaintRule
  GroupTemplates,  // Kubernetes' own Workload
  CorePodGroup,    // and its PodGroup
  CompositePodGroup,
  Flavor,
  ClusterQueue,
  LocalQueue,
  Cohort,
  WorkloadPriorityClass,
  AdmissionCheck,
  Workload,
  DaemonSet,
  NodeTopology,
  Owner,  // an owner of pods; kinds that are not known may own pods, too
  Cycle,  // has no name
  Other,  // perhaps an owner of pods; otherwise skipped
};

// The treatment of an object with an error (README.md).
enum class OnError : uint8_t {
  LeaveOut,    // it is dropped: half of it would be taken for the whole
  KeepBroken,  // it is marked with the error; what depends on it waits, or reports the error
  KeepRest,    // the part that can be read counts
};

class FieldReader;
struct NamedObject;
class PodDecoder;
class RecordKeeper;

// Decodes an object and adds its record to the list of its kind.
using AddRecord = void (*)(NamedObject named, PodDecoder& pods, FieldReader& fields,
                           const RecordKeeper& keeper);

struct Kind {
  KindId id;
  std::string_view group;
  std::string_view kind;
  std::span<const std::string_view> versions;  // empty: any
  bool namespaced;
  OnError on_error;
  KeyKind key;              // by which others find an object of this kind
  AddRecord add = nullptr;  // null: manifest/object_loader.cc decodes the kind
};

// All kinds that are read; one name in two groups is two kinds.
std::span<const Kind> known_kinds();

// nullptr: the kind is not read.
const Kind* find_kind(std::string_view group, std::string_view kind);

// Whether a kind of this name is read in any group, and not only as an owner.
bool is_known_kind_name(std::string_view kind);

// The kind in this group that `kind` is probably a misspelling of; "" when there is none.
std::string_view near_kind(std::string_view group, std::string_view kind);
// The group with a kind of this name that `group` is probably a misspelling of; "" when none.
std::string_view near_group(std::string_view group, std::string_view kind);

}  // namespace trellis
