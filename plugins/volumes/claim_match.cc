#include "plugins/volumes/claim_match.h"

#include <algorithm>
#include <utility>

#include "framework/selectors.h"

namespace trellis {

bool may_make(const WaitingClaim& claim, const Node& node, const StringTable& strings) {
  if (!claim.made) return false;
  if (claim.node.valid() && strings.view(claim.node) != node.name) return false;
  const std::vector<SelectorTerm>& terms = claim.made->nodes;
  return terms.empty() || std::ranges::any_of(terms, [&](const SelectorTerm& term) {
           return matches(term, node.labels, node.name, strings);
         });
}

ClaimMatch::ClaimMatch(const View& view, const StorageStock& stock)
    : view_(view), stock_(stock), strings_(view.vocabulary->strings) {
  owner_.assign(stock.volumes(), kNone);
  seen_.assign(stock.volumes(), 0);
  wanted_by_.assign(stock.volumes(), kNone);
  pool_use_.assign(stock.pools(), 0);
}

ClaimMatch::ClaimantId ClaimMatch::vacant() {
  if (vacant_.empty()) {
    claimants_.emplace_back();
    return static_cast<ClaimantId>(claimants_.size() - 1);
  }
  ClaimantId id = vacant_.back();
  vacant_.pop_back();
  return id;
}

ReasonCode ClaimMatch::add(const WaitingClaim& claim, NodeId node, ClaimantId& id) {
  auto known = claim.name.valid() ? by_name_.find(claim.name.value) : by_name_.end();
  bool fresh = known == by_name_.end();
  id = fresh ? vacant() : known->second;
  Claimant& claimant = claimants_[id];
  if (fresh) {
    claimant = {.claim = &claim, .nodes = {node}};
    if (place(id)) {
      if (claim.name.valid()) by_name_.emplace(claim.name.value, id);
      return ReasonCode::None;
    }
    ReasonCode why = refusal(claimant);
    claimant = {};
    vacant_.push_back(id);
    return why;
  }
  claimant.nodes.push_back(node);
  uint32_t volume = claimant.volume;
  bool holds = volume != kNone ? stock_.can_use(node, volume) : node == claimant.nodes.front();
  if (holds) return ReasonCode::None;
  if (!claimant.settled) {
    release(claimant);
    if (place(id)) return ReasonCode::None;
  }
  ReasonCode why = refusal(claimants_[id]);
  claimants_[id].nodes.pop_back();
  if (!claimants_[id].settled) place(id);
  return why;
}

void ClaimMatch::remove(ClaimantId id, NodeId node) {
  Claimant& claimant = claimants_[id];
  auto at = std::ranges::find(claimant.nodes, node);
  if (at != claimant.nodes.end()) claimant.nodes.erase(at);
  if (!claimant.nodes.empty()) return;
  release(claimant);
  if (claimant.claim->name.valid()) by_name_.erase(claimant.claim->name.value);
  claimant = {};
  vacant_.push_back(id);
}

bool ClaimMatch::usable(const Claimant& claimant, uint32_t volume) const {
  return std::ranges::all_of(claimant.nodes,
                             [&](NodeId node) { return stock_.can_use(node, volume); });
}

// Calls use(volume) for each volume that the claimant may have and that is not another's for good,
// until it returns true.
template <class Use>
void ClaimMatch::each_candidate(const Claimant& claimant, Use use) const {
  const WaitingClaim& claim = *claimant.claim;
  if (claim.node.valid()) return;
  for (uint32_t volume : stock_.kept_for(claim.name)) {
    if (!suits_kept(claim.need, stock_.volume(volume))) continue;
    if (usable(claimant, volume)) use(volume);
    return;
  }
  for (uint32_t index : stock_.stock(claimant.nodes.front()).shelves) {
    const StorageStock::Shelf& shelf = stock_.shelf(index);
    if (shelf.storage_class != claim.need.storage_class) continue;
    auto enough =
        std::ranges::lower_bound(shelf.volumes, claim.need.bytes, {},
                                 [&](uint32_t volume) { return stock_.volume(volume).is.bytes; });
    if (enough == shelf.volumes.end() || !usable(claimant, *enough)) continue;
    for (; enough != shelf.volumes.end(); ++enough) {
      const Volume& volume = stock_.volume(*enough);
      if (volume.claim.valid() || !suits(claim.need, volume, strings_)) continue;
      ClaimantId owner = owner_[*enough];
      if (owner != kNone && claimants_[owner].settled) continue;
      if (use(*enough)) return;
    }
  }
}

bool ClaimMatch::place(ClaimantId id) { return take_free(id) || make(id) || rearrange(id); }

bool ClaimMatch::take_free(ClaimantId id) {
  uint32_t found = kNone;
  each_candidate(claimants_[id], [&](uint32_t volume) {
    if (owner_[volume] == kNone) found = volume;
    return found != kNone;
  });
  if (found == kNone) return false;
  give(id, found);
  return true;
}

bool ClaimMatch::can_make(const Claimant& claimant) const {
  NodeId node = claimant.nodes.front();
  bool one_node = std::ranges::all_of(claimant.nodes, [&](NodeId other) { return other == node; });
  if (!one_node || !may_make(*claimant.claim, (*view_.nodes)[node], strings_)) return false;
  return !claimant.claim->made->by_pool || pool_for(claimant) != kNone;
}

// The first pool with room: one volume is bounded by what the driver says of it, all together by
// what is left.
uint32_t ClaimMatch::pool_for(const Claimant& claimant) const {
  const VolumeNeed& need = claimant.claim->need;
  for (uint32_t index : stock_.stock(claimant.nodes.front()).pools) {
    const StoragePool& pool = stock_.pool(index);
    if (pool.storage_class != need.storage_class) continue;
    std::optional<int64_t> most = pool.most_bytes ? pool.most_bytes : pool.bytes;
    if (!most || *most < need.bytes) continue;
    // A volume that is being made may have taken its room already.
    bool is_made = claimant.claim->node.valid();
    if (!is_made && pool.bytes && *pool.bytes - pool_use_[index] < need.bytes) continue;
    return index;
  }
  return kNone;
}

bool ClaimMatch::make(ClaimantId id) {
  Claimant& claimant = claimants_[id];
  if (!can_make(claimant)) return false;
  if (!claimant.claim->made->by_pool) return true;
  claimant.pool = pool_for(claimant);
  pool_use_[claimant.pool] += claimant.claim->need.bytes;
  return true;
}

// Looks for a chain of claimants, each of which leaves its volume to the one before, and the last
// of which takes a free volume or has one made.
bool ClaimMatch::rearrange(ClaimantId id) {
  ++search_;
  std::vector<ClaimantId> queue = {id};
  uint32_t free = kNone;
  for (size_t next = 0; next < queue.size() && free == kNone; ++next) {
    ClaimantId claimant = queue[next];
    each_candidate(claimants_[claimant], [&](uint32_t volume) {
      if (seen_[volume] == search_) return false;
      seen_[volume] = search_;
      wanted_by_[volume] = claimant;
      if (owner_[volume] == kNone) {
        free = volume;
        return true;
      }
      queue.push_back(owner_[volume]);
      return false;
    });
  }
  if (free != kNone) {
    hand_on(wanted_by_[free], free, id);
    return true;
  }
  for (size_t next = 1; next < queue.size(); ++next) {
    ClaimantId claimant = queue[next];
    if (!can_make(claimants_[claimant])) continue;
    uint32_t left = claimants_[claimant].volume;
    release(claimants_[claimant]);
    make(claimant);
    hand_on(wanted_by_[left], left, id);
    return true;
  }
  return false;
}

// `last` takes the volume, and leaves its own to the claimant that wanted it, up to `first`.
void ClaimMatch::hand_on(ClaimantId last, uint32_t volume, ClaimantId first) {
  for (ClaimantId claimant = last;; claimant = wanted_by_[volume]) {
    uint32_t left = claimants_[claimant].volume;
    give(claimant, volume);
    if (claimant == first) return;
    volume = left;
  }
}

void ClaimMatch::give(ClaimantId id, uint32_t volume) {
  claimants_[id].volume = volume;
  owner_[volume] = id;
}

void ClaimMatch::release(Claimant& claimant) {
  if (claimant.volume != kNone) owner_[claimant.volume] = kNone;
  if (claimant.pool != kNone) pool_use_[claimant.pool] -= claimant.claim->need.bytes;
  claimant.volume = claimant.pool = kNone;
}

ReasonCode ClaimMatch::refusal(const Claimant& claimant) const {
  const Node& node = (*view_.nodes)[claimant.nodes.back()];
  bool by_pool = claimant.claim->made && claimant.claim->made->by_pool;
  bool short_of_room = by_pool && may_make(*claimant.claim, node, strings_);
  return short_of_room ? ReasonCode::NotEnoughStorage : ReasonCode::NoVolumeForClaim;
}

void ClaimMatch::settle(std::span<const ClaimantId> order) {
  for (ClaimantId id : order) {
    if (claimants_[id].settled) continue;
    std::vector<uint32_t> candidates;
    each_candidate(claimants_[id], [&](uint32_t volume) {
      candidates.push_back(volume);
      return false;
    });
    std::ranges::stable_sort(candidates, {}, [&](uint32_t volume) {
      return std::pair(stock_.volume(volume).is.bytes, volume);
    });
    for (uint32_t volume : candidates) {
      if (settle_on(id, volume)) break;
    }
    claimants_[id].settled = true;
  }
}

// False: another claimant would lose its place; nothing changed but the volumes of others.
bool ClaimMatch::settle_on(ClaimantId id, uint32_t volume) {
  Claimant& claimant = claimants_[id];
  ClaimantId owner = owner_[volume];
  if (owner == id) return true;
  uint32_t before = claimant.volume;
  uint32_t pool = claimant.pool;
  release(claimant);
  give(id, volume);
  if (owner == kNone) return true;
  claimants_[owner].volume = kNone;
  claimant.settled = true;  // the owner has to find another one
  if (place(owner)) return true;
  claimant.settled = false;
  give(owner, volume);
  claimant.volume = kNone;
  claimant.pool = pool;
  if (pool != kNone) pool_use_[pool] += claimant.claim->need.bytes;
  if (before != kNone) give(id, before);
  return false;
}

}  // namespace trellis
