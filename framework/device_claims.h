// Devices and the claims for them, as the core keeps them (resource.k8s.io).
//
// Words: a *claim* here is a ResourceClaim; it is *allocated* when its status says which devices it
// has; a *need* is a claim of a pod that is not allocated, or that will not be once the pod has
// left its node, or that other pods have, too. Claims that differ only in name and in the
// configuration of their devices are *alike*.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "devices/extended.h"
#include "devices/model.h"
#include "framework/ids.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"

namespace trellis {

struct DeviceSlice {
  std::string name;
  uint64_t content = 0;  // a hash of what was decoded
  SharedValue<devices::Slice> slice;
  bool operator==(const DeviceSlice& other) const {
    return name == other.name && content == other.content;
  }
};

struct DeviceClass {
  std::string name;
  SharedValue<devices::Class> device_class;
  bool operator==(const DeviceClass&) const = default;
};

// A DeviceTaintRule.
struct DeviceTaints {
  std::string name;
  SharedValue<devices::TaintRule> rule;
  bool operator==(const DeviceTaints&) const = default;
};

struct DeviceClaim {
  StrId name_space;
  std::string name;
  SharedText uid;
  SharedValue<devices::Claim> claim;
  // It loses its devices once these pods of its namespace have left (sorted), and `kept`: never.
  std::vector<std::string> pods;
  bool kept = false;
  bool made = false;  // for one pod; else several pods may use it
  // The PodGroup that it is reserved for instead of pods; "": none. It is `kept` then.
  std::string group;
  std::string group_uid;
  bool operator==(const DeviceClaim&) const = default;
};

struct DeviceNeed {
  SharedValue<devices::Claim> claim;  // without name and configuration
  StrId name;  // "namespace/name" of a claim that several pods use; kNone: the pod's own
  auto operator<=>(const DeviceNeed&) const = default;
};

// What the claims of a pod require of its node.
struct PodDevices {
  std::vector<DeviceNeed> needs;  // in the order of the pod's claims
  // Not empty: it requests extended resources that classes of devices stand for.
  SharedValue<devices::ExtendedPod> extended;
  // What names the compute domain that its claims join, allocated or not; "": none.
  std::string domain;
  auto operator<=>(const PodDevices&) const = default;
};

// The devices of a cluster, and who claims them.
struct DeviceStock {
  std::map<std::string, DeviceSlice, std::less<>> slices;
  std::map<std::string, DeviceClass, std::less<>> classes;
  std::map<std::string, DeviceTaints, std::less<>> taints;
  std::map<std::string, DeviceClaim, std::less<>> claims;  // by "namespace/name"
  uint64_t epoch = 0;  // grows with each change of slices, classes and taints
  // The claims that changed, in order; a reader remembers its position. `first`: the position of
  // the oldest that is kept.
  std::vector<std::string> changed_claims;
  uint64_t first = 0;
  uint64_t end() const { return first + changed_claims.size(); }
  bool empty() const { return slices.empty() && classes.empty() && claims.empty(); }
};

// Why a request finds no devices on a node.
struct DeviceShortage {
  std::string claim;    // by name; "": the pod's own
  std::string request;  // "request", or "request/alternative"
  std::string device_class;
  int64_t wanted = 0;
  int64_t seen = 0;  // devices that the node reaches
  // Of these, those that the selectors accept; of these, those with taints that the request does
  // not tolerate; of the rest, those that others have; of the rest, those that overlap such ones.
  int64_t match = 0;
  int64_t tainted = 0;
  int64_t taken = 0;
  int64_t overlapping = 0;
  std::string holder;  // "namespace/name" of a pod, or else of a claim, that has one; "": none
  std::string error;   // not empty: the request can be met nowhere, or not on this node
};

// A device that a node reaches, and who has it or a part of it.
struct DeviceStand {
  devices::DeviceId id;
  bool tainted = false;              // for pods that tolerate no taint
  std::vector<std::string> holders;  // "namespace/name" of pods, or else "claim namespace/name"
  // Of a device without holders: those of devices that overlap it, so that none may have it.
  std::vector<std::string> overlaps;
};

// The devices of a driver.
struct DriverDevices {
  std::string driver;
  int64_t devices = 0;
  int64_t held = 0;         // as a whole, or in part
  int64_t overlapping = 0;  // of the others, those that devices which are held exclude
  int64_t tainted = 0;      // of the others, as DeviceStand has it
};

// What becomes of a claim of a pod that is bound.
struct DeviceGrant {
  StrId claim;  // by name, in the pod's namespace
  SharedValue<devices::Allocation> allocation;
  bool before = false;  // it was allocated already
  bool operator==(const DeviceGrant&) const = default;
};

}  // namespace trellis
