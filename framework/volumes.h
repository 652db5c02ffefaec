// Storage: what the claims of a pod request, the volumes that are free, and where volumes can be
// made.
//
// Words: a *claim* is a PersistentVolumeClaim, a *volume* a PersistentVolume; a claim is *bound*
// when a volume is its own; a *waiting* claim is bound once its first pod has a node, to a volume
// that exists or to one that its class makes (*provisions*); a *storage pool* is where a driver
// makes volumes of a class, with the bytes that are left there (CSIStorageCapacity).
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "framework/selectors.h"

namespace trellis {

// The access modes of a claim or of a volume, as bits.
using AccessModes = uint8_t;

// A volume as its driver names it.
struct VolumeHandle {
  StrId driver;
  StrId handle;
  auto operator<=>(const VolumeHandle&) const = default;
};

// A driver that is installed on a node.
struct NodeDriver {
  StrId driver;
  std::optional<int64_t> limit;  // volumes that can be attached at once; none: any number
  auto operator<=>(const NodeDriver&) const = default;
};

// From a node's CSINode and its VolumeAttachments.
struct NodeStorage {
  std::vector<NodeDriver> drivers;
  std::vector<VolumeHandle> attached;  // sorted
  auto operator<=>(const NodeStorage&) const = default;
};

// What a claim requires of the volume that it is bound to.
struct VolumeNeed {
  StrId storage_class;
  StrId attributes_class;  // kEmpty: none
  int64_t bytes = 0;
  AccessModes modes = 0;
  bool block = false;  // volumeMode Block
  std::vector<Requirement> selector;
  auto operator<=>(const VolumeNeed&) const = default;
};

// How a storage class makes volumes.
struct Provisioning {
  StrId driver;
  std::vector<SelectorTerm> nodes;  // alternatives; none: any node
  bool by_pool = false;             // only where a storage pool has the room
  auto operator<=>(const Provisioning&) const = default;
};

// A waiting claim of a pod.
struct WaitingClaim {
  VolumeNeed need;
  // "namespace/name" where several pods use the claim, or a volume is kept for it; kNone: equal
  // claims may take each other's place.
  StrId name;
  std::optional<Provisioning> made;  // none: no volume is made for it
  StrId driver;                      // by which the volume counts as attached; kNone: by none
  StrId node;                        // where its volume is being made, by name; kNone: nowhere yet
  auto operator<=>(const WaitingClaim&) const = default;
};

// A disk that a pod names itself, without a claim.
struct InlineDisk {
  StrId kind;
  StrId name;
  std::vector<StrId> monitors;  // not empty: disks without a common monitor are different ones
  bool shared = false;          // by pods that all have it so: read only
  auto operator<=>(const InlineDisk&) const = default;
};

// What the volumes of a pod require of its node.
struct PodVolumes {
  // Of bound claims: the node affinity of all volumes, whose terms are alternatives; their zones.
  std::vector<std::vector<SelectorTerm>> affinities;
  std::vector<Requirement> zones;
  std::vector<VolumeHandle> attached;  // sorted
  std::vector<WaitingClaim> waiting;   // the smallest first
  std::vector<StrId> exclusive;        // claims that one pod may use at a time, and others name
  std::vector<StrId> drivers;          // that must be installed on the node; sorted
  std::vector<InlineDisk> disks;
  auto operator<=>(const PodVolumes&) const = default;
};

// A volume that no claim is bound to.
struct Volume {
  std::string name;
  VolumeNeed is;  // `bytes`: its capacity; without a selector
  Labels labels;
  StrId claim;  // the claim that it is kept for, "namespace/name"; kNone: any
  std::optional<std::vector<SelectorTerm>> nodes;  // alternatives for its node; none: any node
  bool operator==(const Volume&) const = default;
};

struct StoragePool {
  StrId name_space;
  std::string name;
  StrId storage_class;
  std::vector<Requirement> nodes;     // that it serves
  std::optional<int64_t> bytes;       // that are left; none: not known
  std::optional<int64_t> most_bytes;  // of one volume; none: `bytes`
  bool operator==(const StoragePool&) const = default;
};

// The free volumes and the pools of a cluster.
struct Storage {
  std::map<std::string, Volume, std::less<>> volumes;
  std::map<std::string, StoragePool, std::less<>> pools;  // by "namespace/name"
  uint64_t epoch = 0;                                     // grows with each change
};

// What becomes of a waiting claim of a pod that gets a node.
struct ClaimChoice {
  StrId claim;         // by name, in the pod's namespace
  std::string volume;  // that it will be bound to; "": one is made on the pod's node
  bool operator==(const ClaimChoice&) const = default;
};

}  // namespace trellis
