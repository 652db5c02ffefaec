// devices: which nodes have devices for the ResourceClaims of a pod, and which devices they get
// (Dynamic Resource Allocation). The rules are those of kube-scheduler's allocator; the claims of
// all pods that have a node are looked at together, where kube-scheduler looks at one pod after the
// other.
//
// Devices of one node alone are a count of the node (NodeCounter). Devices that several nodes reach
// and claims that several pods share make a class linked (PodLinks): its counts assume that these
// devices are the node's alone, and each placement is asked about. Devices of allocated claims
// whose pods all leave are free in future. Pods of one compute domain of NVIDIA's share an NVLink
// clique, a label of nodes. Nothing is registered while the input has no devices and no claims.
// Cost: a count O(devices of the node) where a class asks for one kind of devices; else
// a search, whose result is kept for nodes with like devices.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "framework/placed_pods.h"
#include "framework/plugin.h"
#include "plugins/devices/class_devices.h"
#include "plugins/devices/device_ledger.h"
#include "plugins/devices/device_map.h"
#include "plugins/devices/fixed_claims.h"
#include "plugins/devices/shortages.h"

namespace trellis {

class DevicesPlugin : public Plugin,
                      public NodeCounter,
                      public PodLinks,
                      public PlacementListener,
                      public DeviceAllocator {
 public:
  std::string_view name() const override { return "devices"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;
  bool may_stay(PodId pod, NodeId node) const override;

  bool links(PodClassId pod_class) const override;
  void link_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  ReasonCode link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const override;
  // A placement never opens a node.
  uint64_t affinity_epoch() const override { return 0; }
  bool order_matters(PodClassId pod_class) const override;
  void binding_keys(PodClassId pod_class, FitMode mode, std::vector<StrId>& keys) const override;
  void exclusive_keys(PodClassId /*pod_class*/, std::vector<StrId>& /*keys*/) const override {}
  int64_t most_alone(PodClassId /*pod_class*/, std::span<const NodeId> /*nodes*/,
                     std::span<const int32_t> /*fits*/) const override {
    return INT64_MAX;
  }
  bool meets_affinity(PodClassId /*pod_class*/, PodClassId /*other*/) const override {
    return false;
  }

  bool tracks(PodClassId pod_class) const override { return devices_of(pod_class) != nullptr; }
  void placed(PodClassId pod_class, NodeId node, Presence presence) override {
    pod_placed(PodId(), pod_class, node, presence);
  }
  void removed(PodClassId pod_class, NodeId node, Presence presence) override {
    pod_removed(PodId(), pod_class, node, presence);
  }
  void pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;
  void pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;

  void allocate(PodId pod, NodeId node, std::vector<DeviceGrant>& grants) const override;
  bool promises_hold() const override;
  void explain(PodClassId pod_class, FitMode mode, NodeId node,
               std::vector<DeviceShortage>& shortages) const override;
  std::vector<DeviceStand> devices_near(NodeId node) const override;
  std::vector<DriverDevices> devices_by_driver() const override;

 private:
  using ClaimId = DeviceLedger::ClaimId;
  using ClaimIds = std::vector<ClaimId>;
  using Asked = DeviceLedger::Asked;

  // A pod, or a slot of a workload, on a node.
  using Place = std::tuple<uint32_t, uint32_t, uint32_t, Presence>;  // pod, class, node
  struct Placement {
    // The claims that are open for it.
    ClaimIds now;
    ClaimIds future;
    std::vector<std::string> names;  // of its claims, "namespace/name", in the pod's order
    std::vector<std::string> fixed;  // those that are allocated
    std::vector<size_t> open;        // the others: needs of the class, in the order of `now`
  };

  // The place of the pod on the node; null: it has none.
  const Placement* placement_of(PodId pod, NodeId node, Presence presence) const;
  bool has_needs(PodClassId pod_class) const;
  bool has_open_needs(PodClassId pod_class) const;
  bool fails(PodClassId pod_class) const;
  bool shares_open_claim(PodClassId pod_class) const;
  bool keeps_devices(PodClassId pod_class) const;
  bool may_lose_devices(PodClassId pod_class) const;
  bool may_collide(PodClassId pod_class) const;
  const FixedClaims::Fixed* allocated(const DeviceNeed& need) const;
  bool reaches_devices(PodClassId pod_class, NodeId node) const;
  const PodDevices* devices_of(PodClassId pod_class) const {
    return (*view_->pod_classes)[pod_class].devices.get();
  }
  // The compute domain that its pods join; "": none. REQUIRES: it has claims for devices.
  const std::string& domain_of(PodClassId pod_class) const { return devices_of(pod_class)->domain; }
  ClassDevices& class_devices(PodClassId pod_class) const;
  DeviceLedger& ledger(FitMode mode) const { return mode == FitMode::Now ? *now_ : *future_; }

  // In place of a need: the claim for extended resources.
  static constexpr size_t kExtended = SIZE_MAX;
  // A count may be too small where its budget ends.
  static constexpr DeviceLedger::Budget kCountBudget{100'000, 500};
  static constexpr DeviceLedger::Budget kPlaceBudget{1'000'000, 20'000};

  std::array<DeviceLedger*, 4> all_ledgers() const {
    return {now_.get(), future_.get(), alone_now_.get(), alone_future_.get()};
  }
  void rebuild();
  bool has_fixed(const DeviceLedger& ledger, const FixedClaims::Fixed& fixed) const;
  void add_fixed(const std::string& name, const DeviceClaim& record);
  void use_fixed(const Place& place, const std::string& name, int32_t by);
  void follow_claims();
  void change_claim(const std::string& name);
  void enter(const Place& place, Placement& placement);
  void withdraw(const Place& place, Placement& placement);
  void settle() const;
  std::set<ClaimId> held_now() const;
  bool promise_all(DeviceLedger& ledger, const std::set<ClaimId>& held) const;

  // What the class asks for on the node, which reaches its allocated devices; false: it can have
  // nothing there.
  bool asked(PodClassId pod_class, NodeId node, std::vector<Asked>& claims) const;
  int64_t count(PodClassId pod_class, FitMode mode, NodeId node, int64_t most) const;
  int64_t count_in(PodClassId pod_class, const std::vector<Asked>& claims, FitMode mode,
                   NodeId node, int64_t most) const;
  int64_t count_plain(const DeviceLedger::Plan& plan, const DeviceLedger& ledger) const;
  bool is_exact(const DeviceLedger::Plan& plan, const DeviceLedger& ledger, NodeId node) const;
  int64_t count_alone(const std::vector<Asked>& claims, FitMode mode, NodeId node,
                      int64_t most) const;
  int64_t count_in_ledger(const std::vector<Asked>& claims, DeviceLedger& ledger, NodeId node,
                          int64_t most) const;
  const Holders& holders() const;
  void join_domain(PodClassId pod_class, NodeId node, Presence presence, int64_t by);
  bool leaves_domain(PodClassId pod_class, FitMode mode, NodeId node) const;
  uint32_t clique_of(NodeId node) const;
  std::string name_of(StrId name_space, StrId claim) const;

  const View* view_ = nullptr;
  DeviceMap map_;
  std::unique_ptr<DeviceLedger> now_;
  std::unique_ptr<DeviceLedger> future_;
  // With nothing but the claims that are allocated, in future those that hold up no other node; for
  // counts.
  std::unique_ptr<DeviceLedger> alone_now_;
  std::unique_ptr<DeviceLedger> alone_future_;
  FixedClaims fixed_;
  uint64_t read_to_ = 0;                                        // position in the changes of claims
  mutable std::vector<std::unique_ptr<ClassDevices>> classes_;  // by class
  std::map<Place, std::vector<Placement>> placements_;
  // By claim, "namespace/name": the places of its pods.
  absl::flat_hash_map<std::string, std::vector<Place>> users_;
  absl::flat_hash_map<uint32_t, std::string> pod_names_;  // of the pods in `placements_`, by id
  // By compute domain: its pods by the NVLink clique of their nodes.
  std::map<std::string, std::map<uint32_t, PodCount>> domains_;
  StrId clique_;           // the label of cliques
  int64_t differing_ = 0;  // places of pods that leave, or that come later
  mutable bool settled_ = false;
  mutable std::optional<Holders> holders_;  // for explanations; made when it is first asked for
};

}  // namespace trellis
