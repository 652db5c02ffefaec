// Waiting claims of pods that have a node, each with a volume of its own or with room where one is
// made: an assignment that is changed as long as one more claim finds its volume by that.
//
// Words: a *claimant* is a waiting claim and the nodes of the pods that use it; it is *settled*
// when its volume is not changed any more. Guarantees: a claim that needs a volume that exists is
// refused only where no assignment of all claimants has a volume for it. Of pools, each claimant
// takes room in the first that has it. Cost: add() O(volumes of its shelves) where one of them is
// free, O(claimants * volumes) at worst.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/reason.h"
#include "framework/view.h"
#include "framework/volumes.h"
#include "plugins/volumes/storage_stock.h"

namespace trellis {

class ClaimMatch {
 public:
  using ClaimantId = uint32_t;
  static constexpr uint32_t kNone = UINT32_MAX;

  ClaimMatch(const View& view, const StorageStock& stock);

  // None: the claimant `id` has its place. Otherwise nothing changed. The claim outlives its
  // claimant.
  ReasonCode add(const WaitingClaim& claim, NodeId node, ClaimantId& id);
  // Takes back one add().
  void remove(ClaimantId id, NodeId node);
  // The volume of a claimant; kNone: one is made.
  uint32_t volume(ClaimantId id) const { return claimants_[id].volume; }
  // Gives the claimants their volumes for good: each in turn the smallest that leaves the later
  // ones theirs.
  void settle(std::span<const ClaimantId> order);

 private:
  struct Claimant {
    const WaitingClaim* claim = nullptr;  // null: vacant
    std::vector<NodeId> nodes;            // of its pods, each once for each pod
    uint32_t volume = kNone;
    uint32_t pool = kNone;  // in which it takes room
    bool settled = false;
  };

  ClaimantId vacant();
  template <class Use>
  void each_candidate(const Claimant& claimant, Use use) const;
  bool usable(const Claimant& claimant, uint32_t volume) const;
  bool place(ClaimantId id);
  bool take_free(ClaimantId id);
  bool make(ClaimantId id);
  bool rearrange(ClaimantId id);
  void hand_on(ClaimantId last, uint32_t volume, ClaimantId first);
  bool can_make(const Claimant& claimant) const;
  uint32_t pool_for(const Claimant& claimant) const;
  ReasonCode refusal(const Claimant& claimant) const;
  void release(Claimant& claimant);
  void give(ClaimantId id, uint32_t volume);
  bool settle_on(ClaimantId id, uint32_t volume);
  std::string_view node_name(NodeId node) const { return (*view_.nodes)[node].name; }

  const View& view_;
  const StorageStock& stock_;
  const StringTable& strings_;
  std::vector<Claimant> claimants_;
  std::vector<ClaimantId> vacant_;
  absl::flat_hash_map<uint32_t, ClaimantId> by_name_;  // of claims with a name
  std::vector<ClaimantId> owner_;                      // by volume
  std::vector<int64_t> pool_use_;                      // bytes
  // Of one search.
  uint32_t search_ = 0;
  std::vector<uint32_t> seen_;         // by volume: the search that saw it
  std::vector<ClaimantId> wanted_by_;  // by volume
};

// Whether the claim's class makes volumes on the node at all, whatever room its pools have.
bool may_make(const WaitingClaim& claim, const Node& node, const StringTable& strings);

}  // namespace trellis
