// volumes: what the volumes of a pod require of its node, and which volumes its waiting claims get.
// The rules are those of kube-scheduler's VolumeRestrictions, NodeVolumeLimits, VolumeBinding and
// VolumeZone; claims are looked at together, those of a gang included, where kube-scheduler looks
// at one after the other.
//
// Disks, drivers, attach limits, bound volumes, and storage that one node alone can use depend on
// each node alone (NodeCounter). Storage that several nodes can use, claims that several pods name,
// and claims for one pod alone make a class linked (PodLinks): the counts of its nodes then assume
// that the storage is theirs alone. Pods that leave, or are evicted, still hold their waiting
// claims: what was promised to a claim stays with it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "framework/plugin.h"
#include "plugins/volumes/claim_match.h"
#include "plugins/volumes/storage_stock.h"
#include "plugins/volumes/volume_uses.h"

namespace trellis {

class VolumesPlugin : public Plugin,
                      public NodeCounter,
                      public PodLinks,
                      public PlacementListener,
                      public ClaimChooser {
 public:
  std::string_view name() const override { return "volumes"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override { return volumes(pod_class) != nullptr; }
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;

  bool links(PodClassId pod_class) const override;
  void link_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  ReasonCode link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const override;
  // A placement never opens a node.
  uint64_t affinity_epoch() const override { return 0; }
  bool order_matters(PodClassId /*pod_class*/) const override { return false; }
  void binding_keys(PodClassId pod_class, FitMode mode, std::vector<StrId>& keys) const override;
  void exclusive_keys(PodClassId /*pod_class*/, std::vector<StrId>& /*keys*/) const override {}
  int64_t most_alone(PodClassId pod_class, std::span<const NodeId> nodes,
                     std::span<const int32_t> fits) const override;
  bool meets_affinity(PodClassId /*pod_class*/, PodClassId /*other*/) const override {
    return false;
  }

  bool tracks(PodClassId pod_class) const override { return volumes(pod_class) != nullptr; }
  void placed(PodClassId pod_class, NodeId node, Presence presence) override {
    pod_placed(PodId(), pod_class, node, presence);
  }
  void removed(PodClassId pod_class, NodeId node, Presence presence) override {
    pod_removed(PodId(), pod_class, node, presence);
  }
  void pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;
  void pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;

  void choose(PodId pod, NodeId node, std::vector<ClaimChoice>& choices) const override;

 private:
  using Claimants = std::vector<ClaimMatch::ClaimantId>;       // by waiting claim; kNone: no place
  using Placement = std::tuple<uint32_t, uint32_t, uint32_t>;  // pod, class, node

  const PodVolumes* volumes(PodClassId pod_class) const {
    return (*view_->pod_classes)[pod_class].volumes.get();
  }
  ReasonCode node_verdict(const PodVolumes& volumes, FitMode mode, NodeId node) const;
  ReasonCode bound_verdict(const PodVolumes& volumes, const Node& node) const;
  bool in_zones(const std::vector<Requirement>& zones, const Node& node) const;
  bool has_drivers(const PodVolumes& volumes, const Node& node) const;
  // How many pods find their waiting claims' volumes when all storage is the node's, and why not
  // more.
  int64_t storable(const PodVolumes& volumes, NodeId node, int64_t most, ReasonCode& why) const;
  int64_t search_stock(const PodVolumes& volumes, NodeId node, int64_t most, ReasonCode& why) const;
  bool needs_stock(const PodVolumes& volumes) const;
  bool is_shared(const WaitingClaim& claim) const;
  Claimants claim_all(const PodVolumes& volumes, NodeId node, ClaimMatch& match,
                      ReasonCode& why) const;
  void unclaim(const Claimants& claimants, NodeId node, ClaimMatch& match) const;
  void rebuild();
  void settle() const;
  ReasonCode storage_verdict(const PodVolumes& volumes, NodeId node) const;

  const View* view_ = nullptr;
  StorageStock stock_;
  VolumeUses uses_;
  mutable std::optional<ClaimMatch> match_;
  mutable std::optional<ClaimMatch> alone_;                 // for one node; empty between questions
  std::map<Placement, std::vector<Claimants>> placements_;  // of pods with waiting claims
  // By node: the classes of its pods with waiting claims, each once for each pod.
  absl::flat_hash_map<uint32_t, std::vector<PodClassId>> waiting_on_;
  StrId hostname_;
  mutable bool settled_ = false;
};

}  // namespace trellis
