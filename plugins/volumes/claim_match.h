// Waiting claims of pods that have a node, each with a volume of its own or with room where one is
// made: an assignment that is changed as long as one more claim finds its volume by that.
//
// Words: a *claimant* is a waiting claim and the nodes of the pods that use it; it is *settled*
// when its volume is not changed any more; a *place* is a volume or a pool. Guarantees: a claim is
// refused only where no assignment of all claimants has a place for it; claims of different sizes
// that share pools are tried within a budget of steps. Cost: add() O(places of its node) where one
// of them is free, O(claimants * places) where claims of one size make room for each other.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "framework/reason.h"
#include "framework/view.h"
#include "framework/volumes.h"
#include "plugins/volumes/claim_packing.h"
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
  uint32_t volume(ClaimantId id) const {
    return is_volume(claimants_[id].place) ? claimants_[id].place : kNone;
  }
  // Gives the claimants their volumes for good: each in turn the smallest that leaves the later
  // ones theirs.
  void settle(std::span<const ClaimantId> order);

 private:
  struct Claimant {
    const WaitingClaim* claim = nullptr;  // null: vacant
    std::vector<NodeId> nodes;            // of its pods, each once for each pod
    uint32_t place = kNone;               // a volume, or a pool after all volumes
    bool settled = false;
  };

  // The claimants that share places, as pack_claims() takes them.
  struct Question {
    std::vector<uint32_t> places;
    std::vector<PackedPlace> rooms;  // by place
    std::vector<PackedClaim> claims;
  };

  ClaimantId vacant();
  ReasonCode add_node(ClaimantId id, NodeId node);
  bool is_volume(uint32_t place) const { return place < stock_.volumes(); }
  uint32_t place_of_pool(uint32_t pool) const {
    return static_cast<uint32_t>(stock_.volumes()) + pool;
  }
  template <class Use>
  void each_volume(const Claimant& claimant, Use use) const;
  template <class Use>
  void each_pool(const Claimant& claimant, Use use) const;
  template <class Use>
  void each_place(const Claimant& claimant, Use use) const;
  bool usable(const Claimant& claimant, uint32_t volume) const;
  bool place(ClaimantId id);
  bool take_free(ClaimantId id);
  bool take_full(ClaimantId id);
  bool rearrange(ClaimantId id);
  void look_at(ClaimantId id, std::vector<ClaimantId>& queue, uint32_t& free);
  void hand_on(ClaimantId last, uint32_t place, ClaimantId first);
  bool repack(ClaimantId id);
  std::vector<ClaimantId> connected(ClaimantId id);
  Question question_of(std::span<const ClaimantId> claimants) const;
  PackedPlace empty(uint32_t place) const;
  bool sizes_matter(std::span<const ClaimantId> claimants) const;
  bool makes(const Claimant& claimant) const;
  bool makes_freely(const Claimant& claimant) const;
  bool has_room(const Claimant& claimant, uint32_t place) const;
  int64_t room_in(uint32_t place) const;
  ReasonCode refusal(const Claimant& claimant) const;
  void release(ClaimantId id);
  void give(ClaimantId id, uint32_t place);
  bool settle_on(ClaimantId id, uint32_t volume);

  const View& view_;
  const StorageStock& stock_;
  const StringTable& strings_;
  std::vector<Claimant> claimants_;
  std::vector<ClaimantId> vacant_;
  absl::flat_hash_map<uint32_t, ClaimantId> by_name_;  // of claims with a name
  std::vector<std::vector<ClaimantId>> owners_;        // by place; of a volume at most one
  std::vector<int64_t> pool_use_;                      // bytes
  // Of one search.
  uint32_t search_ = 0;
  std::vector<uint32_t> seen_;         // by place: the search that saw it
  std::vector<ClaimantId> wanted_by_;  // by place
};

// Whether the claim's class makes volumes on the node at all, whatever room its pools have.
bool may_make(const WaitingClaim& claim, const Node& node, const StringTable& strings);

}  // namespace trellis
