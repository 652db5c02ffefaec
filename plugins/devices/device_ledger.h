// Who has which devices: allocations that are final, and claims of pods that have a node, each with
// devices that may still become others.
//
// Words: a claim is *open* until its devices are final; it is *served* while it has devices.
// Guarantees: an open claim finds no devices only where the devices of all open claims cannot be
// chosen so that it has some (or the search for that ends by its budget). What was added and is
// removed leaves the same answers as before.
// Cost: add() O(devices of the node) where some are free that suit; else a search over the claims
// of all nodes that reach the same devices.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "devices/alike_devices.h"
#include "devices/holdings.h"
#include "devices/joint_search.h"
#include "framework/device_claims.h"
#include "plugins/devices/device_map.h"

namespace trellis {

class DeviceLedger {
 public:
  using ClaimId = uint32_t;
  static constexpr ClaimId kNone = UINT32_MAX;
  using Plan = devices::AlikeDevices;

  explicit DeviceLedger(const DeviceMap& map);

  void hold(const devices::Allocation& allocation) { change(allocation, 1); }
  void release(const devices::Allocation& allocation) { change(allocation, -1); }

  // Whether all of its devices are free, or have so much left.
  bool can_hold(const devices::Allocation& allocation) const;

  // A request for a number of devices, and those on its node that it accepts, none of which is
  // shared; sorted.
  struct RequestDevices {
    int64_t count = 0;
    std::vector<devices::DeviceIndex> devices;
  };

  // A claim, and what is known of its devices on the node (null: nothing).
  struct Asked {
    const devices::Claim* claim = nullptr;
    StrId name;  // of a claim that several pods use; kNone: it is the pod's own
    const Plan* plan = nullptr;
    const std::vector<RequestDevices>* requests = nullptr;  // of some of its requests
  };
  // The claims of one pod on a node; `ids` is empty before. False: they are open, and not all of
  // them are served.
  bool add(std::span<const Asked> claims, NodeId node, std::vector<ClaimId>& ids);
  // Takes back what add() returned.
  void remove(std::span<const ClaimId> ids, NodeId node);
  // How many pods with these claims the node takes at the same time, beside all others; never more
  // than `most`. Leaves everything as it was.
  int64_t count(std::span<const Asked> claims, NodeId node, int64_t most);
  // What count() depends on, as a text: equal texts give equal counts, for the same claims.
  // REQUIRES: the node reaches no devices of others, and its open claims are their pods' own.
  std::string state_of(NodeId node) const;

  bool is_free(devices::DeviceIndex device) const { return taken_[device] == 0; }
  const devices::Holdings& holdings() const { return holdings_; }
  // Open claims of pods on the node; a claim that several pods share is there for each.
  std::span<const ClaimId> open_on(NodeId node) const;
  const Plan* plan_of(ClaimId id) const { return claims_[id].plan; }
  const std::vector<RequestDevices>* requests_of(ClaimId id) const { return claims_[id].requests; }
  const devices::Claim& claim_of(ClaimId id) const { return *claims_[id].claim; }
  StrId name_of(ClaimId id) const { return claims_[id].name; }
  bool served(ClaimId id) const { return claims_[id].served; }
  // Whether others lack something because of the claim.
  bool takes_devices(ClaimId id) const;
  // The open claim of this name; kNone: there is none.
  ClaimId find(StrId name) const;
  // Of a served claim.
  const devices::Allocation& answer(ClaimId id) const { return claims_[id].answer; }

  // Chooses devices once more: for the claims of each pod in this order the first that are free;
  // where that leaves none to a later one, for all at the same time.
  struct PodClaims {
    NodeId node;
    std::span<const ClaimId> ids;
  };
  void settle(std::span<const PodClaims> pods);

  // Work for one question; above it the answer is that there are no devices.
  struct Budget {
    int64_t devices = 0;  // that are tried for one pod
    int64_t answers = 0;  // that are tried for single claims, where pods compete
  };
  void set_budget(Budget budget) { budget_ = budget; }

 private:
  struct Open {
    const devices::Claim* claim = nullptr;  // null: vacant
    StrId name;
    const Plan* plan = nullptr;  // of its first node
    const std::vector<RequestDevices>* requests = nullptr;
    std::vector<NodeId> nodes;  // of its pods, each once for each pod
    devices::Allocation answer;
    bool served = false;
  };

  bool has_counters(const devices::Allocation& allocation, const devices::DeviceId& id) const;
  void change(const devices::Allocation& allocation, int32_t by);
  void serve(Open& claim, devices::Allocation answer);
  void unserve(Open& claim);
  bool serve_pod(std::span<const ClaimId> ids, NodeId node);
  void settle_group(std::span<const PodClaims> pods);
  bool serve_by_plan(Open& claim);
  devices::JointAnswer search_jointly(std::span<const devices::PlacedClaim> claims);
  bool may_be_served(std::span<const ClaimId> ids) const;
  bool serve_together(std::span<const ClaimId> first);
  void restore(std::vector<std::pair<ClaimId, devices::Allocation>>& before);
  std::vector<ClaimId> competitors(std::span<const ClaimId> of) const;
  devices::PlacedClaim placed(const Open& claim) const;
  ClaimId vacant();

  const DeviceMap& map_;
  devices::Holdings holdings_;
  std::vector<uint32_t> taken_;  // by device: how many have it, or a part of it
  Budget budget_;
  // Within count(): what claims had before they got other devices, in this order.
  std::vector<std::pair<ClaimId, devices::Allocation>>* replaced_ = nullptr;
  std::vector<Open> claims_;
  std::vector<ClaimId> vacant_;
  absl::flat_hash_map<uint32_t, std::vector<ClaimId>> by_node_;  // iterated only to be sorted
  absl::flat_hash_map<uint32_t, ClaimId> by_name_;
};

}  // namespace trellis
