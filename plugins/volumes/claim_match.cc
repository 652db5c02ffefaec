#include "plugins/volumes/claim_match.h"

#include <algorithm>
#include <utility>

#include "framework/selectors.h"

namespace trellis {
namespace {

constexpr int64_t kPackingSteps = 5'000;

bool is_being_made(const WaitingClaim& claim) { return claim.node.valid(); }

}  // namespace

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
  size_t places = stock.volumes() + stock.pools();
  owners_.resize(places);
  seen_.assign(places, 0);
  wanted_by_.assign(places, kNone);
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
  if (fresh) {
    claimants_[id] = {.claim = &claim, .nodes = {node}};
    if (place(id)) {
      if (claim.name.valid()) by_name_.emplace(claim.name.value, id);
      return ReasonCode::None;
    }
    ReasonCode why = refusal(claimants_[id]);
    claimants_[id] = {};
    vacant_.push_back(id);
    return why;
  }
  return add_node(id, node);
}

ReasonCode ClaimMatch::add_node(ClaimantId id, NodeId node) {
  Claimant& claimant = claimants_[id];
  claimant.nodes.push_back(node);
  uint32_t before = claimant.place;
  bool holds = is_volume(before) ? stock_.can_use(node, before) : node == claimant.nodes.front();
  if (holds) return ReasonCode::None;
  if (!claimant.settled) {
    release(id);
    if (place(id)) return ReasonCode::None;
  }
  ReasonCode why = refusal(claimant);
  claimant.nodes.pop_back();
  if (!claimant.settled && before != kNone) give(id, before);
  return why;
}

void ClaimMatch::remove(ClaimantId id, NodeId node) {
  Claimant& claimant = claimants_[id];
  auto at = std::ranges::find(claimant.nodes, node);
  if (at != claimant.nodes.end()) claimant.nodes.erase(at);
  if (!claimant.nodes.empty()) return;
  release(id);
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
void ClaimMatch::each_volume(const Claimant& claimant, Use use) const {
  const WaitingClaim& claim = *claimant.claim;
  if (is_being_made(claim) || claimant.settled) return;
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
      const std::vector<ClaimantId>& owner = owners_[*enough];
      if (!owner.empty() && claimants_[owner.front()].settled) continue;
      if (use(*enough)) return;
    }
  }
}

// Calls use(place) for each pool where the claimant's volume may be made, whatever room is left,
// until it returns true.
template <class Use>
void ClaimMatch::each_pool(const Claimant& claimant, Use use) const {
  if (!makes(claimant) || !claimant.claim->made->by_pool) return;
  const VolumeNeed& need = claimant.claim->need;
  for (uint32_t index : stock_.stock(claimant.nodes.front()).pools) {
    const StoragePool& pool = stock_.pool(index);
    if (pool.storage_class != need.storage_class) continue;
    std::optional<int64_t> most = pool.most_bytes ? pool.most_bytes : pool.bytes;
    if (!most || *most < need.bytes) continue;
    if (use(place_of_pool(index))) return;
  }
}

template <class Use>
void ClaimMatch::each_place(const Claimant& claimant, Use use) const {
  bool ended = false;
  auto once = [&](uint32_t place) { return ended = use(place); };
  each_volume(claimant, once);
  if (!ended) each_pool(claimant, once);
}

bool ClaimMatch::makes(const Claimant& claimant) const {
  NodeId node = claimant.nodes.front();
  bool one_node = std::ranges::all_of(claimant.nodes, [&](NodeId other) { return other == node; });
  return one_node && !(claimant.settled && is_volume(claimant.place)) &&
         may_make(*claimant.claim, (*view_.nodes)[node], strings_);
}

bool ClaimMatch::makes_freely(const Claimant& claimant) const {
  return makes(claimant) && !claimant.claim->made->by_pool;
}

int64_t ClaimMatch::room_in(uint32_t place) const {
  uint32_t pool = place - place_of_pool(0);
  const std::optional<int64_t>& bytes = stock_.pool(pool).bytes;
  return bytes ? *bytes - pool_use_[pool] : PackedPlace::kUnbounded;
}

bool ClaimMatch::has_room(const Claimant& claimant, uint32_t place) const {
  if (is_volume(place)) return owners_[place].empty();
  return room_in(place) >= claimant.claim->need.bytes;
}

bool ClaimMatch::place(ClaimantId id) {
  return take_free(id) || makes_freely(claimants_[id]) || rearrange(id) || repack(id) ||
         take_full(id);
}

bool ClaimMatch::take_free(ClaimantId id) {
  uint32_t found = kNone;
  each_place(claimants_[id], [&](uint32_t place) {
    if (has_room(claimants_[id], place)) found = place;
    return found != kNone;
  });
  if (found == kNone) return false;
  give(id, found);
  return true;
}

// The first pool, for a claim whose volume is being made: its driver may have given that room
// already.
bool ClaimMatch::take_full(ClaimantId id) {
  if (!is_being_made(*claimants_[id].claim)) return false;
  uint32_t found = kNone;
  each_pool(claimants_[id], [&](uint32_t place) {
    found = place;
    return true;
  });
  if (found == kNone) return false;
  give(id, found);
  return true;
}

// Looks for a chain of claimants, each of which leaves its place to the one before, and the last
// of which takes a free place or has its volume made without a pool.
bool ClaimMatch::rearrange(ClaimantId id) {
  ++search_;
  std::vector<ClaimantId> queue = {id};
  uint32_t free = kNone;
  for (size_t next = 0; next < queue.size() && free == kNone; ++next) {
    look_at(queue[next], queue, free);
  }
  if (free != kNone) {
    hand_on(wanted_by_[free], free, id);
    return true;
  }
  for (size_t next = 1; next < queue.size(); ++next) {
    ClaimantId claimant = queue[next];
    if (!makes_freely(claimants_[claimant])) continue;
    uint32_t left = claimants_[claimant].place;
    release(claimant);
    hand_on(wanted_by_[left], left, id);
    return true;
  }
  return false;
}

// The first place that is free for the claimant, or the claimants that could leave theirs.
void ClaimMatch::look_at(ClaimantId id, std::vector<ClaimantId>& queue, uint32_t& free) {
  const Claimant& claimant = claimants_[id];
  each_place(claimant, [&](uint32_t place) {
    if (seen_[place] == search_) return false;
    seen_[place] = search_;
    wanted_by_[place] = id;
    if (has_room(claimant, place)) {
      free = place;
      return true;
    }
    for (ClaimantId owner : owners_[place]) {
      int64_t left = is_volume(place) ? 0 : claimants_[owner].claim->need.bytes + room_in(place);
      if (is_volume(place) || left >= claimant.claim->need.bytes) queue.push_back(owner);
    }
    return false;
  });
}

// `last` takes the place, and leaves its own to the claimant that wanted it, up to `first`.
void ClaimMatch::hand_on(ClaimantId last, uint32_t place, ClaimantId first) {
  for (ClaimantId claimant = last;; claimant = wanted_by_[place]) {
    uint32_t left = claimants_[claimant].place;
    release(claimant);
    give(claimant, place);
    if (claimant == first) return;
    place = left;
  }
}

void ClaimMatch::give(ClaimantId id, uint32_t place) {
  Claimant& claimant = claimants_[id];
  claimant.place = place;
  owners_[place].push_back(id);
  if (!is_volume(place)) pool_use_[place - place_of_pool(0)] += claimant.claim->need.bytes;
}

void ClaimMatch::release(ClaimantId id) {
  Claimant& claimant = claimants_[id];
  uint32_t place = claimant.place;
  if (place == kNone) return;
  std::erase(owners_[place], id);
  if (!is_volume(place)) pool_use_[place - place_of_pool(0)] -= claimant.claim->need.bytes;
  claimant.place = kNone;
}

// All claimants that could make room for the claimant, or for others that could; it stands first.
std::vector<ClaimMatch::ClaimantId> ClaimMatch::connected(ClaimantId id) {
  ++search_;
  std::vector<ClaimantId> found = {id};
  for (size_t next = 0; next < found.size(); ++next) {
    each_place(claimants_[found[next]], [&](uint32_t place) {
      if (seen_[place] == search_) return false;
      seen_[place] = search_;
      found.insert(found.end(), owners_[place].begin(), owners_[place].end());
      return false;
    });
  }
  return found;
}

// Whether a chain may miss what another assignment has: some can use pools, and have two sizes.
bool ClaimMatch::sizes_matter(std::span<const ClaimantId> claimants) const {
  int64_t bytes = claimants_[claimants.front()].claim->need.bytes;
  bool differ = std::ranges::any_of(
      claimants, [&](ClaimantId id) { return claimants_[id].claim->need.bytes != bytes; });
  return differ && std::ranges::any_of(claimants, [&](ClaimantId id) {
           const std::optional<Provisioning>& made = claimants_[id].claim->made;
           return made && made->by_pool;
         });
}

// What the places offer without the claimants, and which of them each claimant may have.
ClaimMatch::Question ClaimMatch::question_of(std::span<const ClaimantId> claimants) const {
  Question question;
  absl::flat_hash_map<uint32_t, uint32_t> known;
  auto index_of = [&](uint32_t place) {
    auto [at, fresh] = known.try_emplace(place, static_cast<uint32_t>(question.places.size()));
    if (fresh) {
      question.places.push_back(place);
      question.rooms.push_back(empty(place));
    }
    return at->second;
  };
  for (ClaimantId id : claimants) {
    const Claimant& claimant = claimants_[id];
    PackedClaim claim = {.bytes = claimant.claim->need.bytes};
    each_place(claimant, [&](uint32_t place) {
      claim.places.push_back(index_of(place));
      return false;
    });
    if (makes_freely(claimant)) claim.places.push_back(index_of(kNone));
    bool may_stay = is_being_made(*claimant.claim) && claimant.place != kNone;
    if (may_stay) claim.home = index_of(claimant.place);
    question.claims.push_back(std::move(claim));
  }
  return question;
}

PackedPlace ClaimMatch::empty(uint32_t place) const {
  if (place == kNone) return {.room = PackedPlace::kUnbounded};
  if (is_volume(place)) return {.room = stock_.volume(place).is.bytes, .whole = true};
  const StoragePool& pool = stock_.pool(place - place_of_pool(0));
  return {.room = pool.bytes.value_or(PackedPlace::kUnbounded)};
}

// Looks for an assignment of all claimants that share places with this one.
bool ClaimMatch::repack(ClaimantId id) {
  std::vector<ClaimantId> all = connected(id);
  if (!sizes_matter(all)) return false;
  Question question = question_of(all);
  std::optional<std::vector<uint32_t>> found =
      pack_claims(question.claims, std::move(question.rooms), kPackingSteps);
  if (!found) return false;
  for (ClaimantId claimant : all) release(claimant);
  for (size_t i = 0; i < all.size(); ++i) {
    uint32_t place = question.places[(*found)[i]];
    if (place != kNone) give(all[i], place);
  }
  return true;
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
    each_volume(claimants_[id], [&](uint32_t volume) {
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

// False: another claimant would lose its place; nothing changed but the places of others.
bool ClaimMatch::settle_on(ClaimantId id, uint32_t volume) {
  Claimant& claimant = claimants_[id];
  uint32_t before = claimant.place;
  if (before == volume) return true;
  release(id);
  if (owners_[volume].empty()) {
    give(id, volume);
    return true;
  }
  ClaimantId owner = owners_[volume].front();
  release(owner);
  give(id, volume);
  claimant.settled = true;  // the owner has to find another one
  if (place(owner)) return true;
  claimant.settled = false;
  release(id);
  give(owner, volume);
  if (before != kNone) give(id, before);
  return false;
}

}  // namespace trellis
