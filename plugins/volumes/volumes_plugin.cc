#include "plugins/volumes/volumes_plugin.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "framework/selectors.h"
#include "framework/topology.h"

namespace trellis {
namespace {

struct ZoneLabel {
  std::string_view key;
  std::string_view newer;
};
constexpr std::array<ZoneLabel, 4> kZoneKeys = {
    {{"topology.kubernetes.io/zone", ""},
     {"topology.kubernetes.io/region", ""},
     {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
     {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"}}};

void drop_repeats(std::vector<uint32_t>& numbers) {
  std::ranges::sort(numbers);
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

}  // namespace

void VolumesPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hostname_ = view.vocabulary->strings.find(kHostname);
  settled_ = false;
  if (stock_.refresh(view) || !match_) rebuild();
  hooks.node_counters.push_back({this, name()});
  hooks.pod_links.push_back({this, name()});
  hooks.listeners.push_back({this, name()});
  hooks.claim_chooser.supply(this, name());
}

// The claims of pods on nodes find their places in another storage; in the order of the claims'
// names, so that the result does not depend on what was before.
void VolumesPlugin::rebuild() {
  match_.emplace(*view_, stock_);
  alone_.emplace(*view_, stock_);
  for (auto& [placement, groups] : placements_) {
    auto [pod, pod_class, node] = placement;
    ReasonCode why = ReasonCode::None;
    for (Claimants& claimants : groups) {
      claimants = claim_all(*volumes(PodClassId(pod_class)), NodeId(node), *match_, why);
    }
  }
}

void VolumesPlugin::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                              std::span<int32_t> counts) const {
  const PodVolumes& own = *volumes(pod_class);
  bool alone =
      std::ranges::any_of(own.disks, [](const InlineDisk& disk) { return collide(disk, disk); });
  // Nodes of one stock without waiting claims take the same number, if no claim has a node.
  bool alike = std::ranges::all_of(own.waiting, [](const WaitingClaim& claim) {
    return !claim.node.valid() && (!claim.made || claim.made->nodes.empty());
  });
  absl::flat_hash_map<uint32_t, int64_t> known;  // by stock; where that is fewer than asked
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] <= 0) continue;
    if (node_verdict(own, mode, nodes[i]) != ReasonCode::None) {
      counts[i] = 0;
      continue;
    }
    int64_t most = alone ? 1 : counts[i];
    const Node& node = (*view_->nodes)[nodes[i]];
    most = uses_.attachable(own, nodes[i], node, mode, most);
    bool as_others = alike && !waiting_on_.contains(nodes[i].value);
    uint32_t stock = stock_.stock_number(nodes[i]);
    if (auto found = known.find(stock); as_others && found != known.end()) {
      counts[i] = static_cast<int32_t>(std::min(most, found->second));
      continue;
    }
    ReasonCode why = ReasonCode::None;
    int64_t count = storable(own, nodes[i], most, why);
    if (as_others && count < most) known.emplace(stock, count);
    counts[i] = static_cast<int32_t>(count);
  }
}

ReasonCode VolumesPlugin::refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  const PodVolumes& own = *volumes(pod_class);
  ReasonCode verdict = node_verdict(own, mode, node);
  if (verdict != ReasonCode::None) return verdict;
  ReasonCode why = ReasonCode::None;
  return storable(own, node, 1, why) > 0 ? ReasonCode::None : why;
}

// In the order of kube-scheduler's plugins, but zones before the volumes that have to be found.
ReasonCode VolumesPlugin::node_verdict(const PodVolumes& own, FitMode mode, NodeId id) const {
  const Node& node = (*view_->nodes)[id];
  if (uses_.has_disk(own, id, mode)) return ReasonCode::DiskInUse;
  if (!has_drivers(own, node)) return ReasonCode::VolumeDriverMissing;
  if (uses_.attachable(own, id, node, mode, 1) <= 0) return ReasonCode::TooManyVolumes;
  return bound_verdict(own, node);
}

bool VolumesPlugin::has_drivers(const PodVolumes& own, const Node& node) const {
  return std::ranges::all_of(own.drivers, [&](StrId driver) {
    return node.storage && std::ranges::find(node.storage->drivers, driver, &NodeDriver::driver) !=
                               node.storage->drivers.end();
  });
}

ReasonCode VolumesPlugin::bound_verdict(const PodVolumes& own, const Node& node) const {
  const StringTable& strings = view_->vocabulary->strings;
  bool near = std::ranges::all_of(own.affinities, [&](const std::vector<SelectorTerm>& terms) {
    return std::ranges::any_of(terms, [&](const SelectorTerm& term) {
      return matches(term, node.labels, node.name, strings);
    });
  });
  if (!near) return ReasonCode::VolumeNodeMismatch;
  return in_zones(own.zones, node) ? ReasonCode::None : ReasonCode::VolumeZoneMismatch;
}

bool VolumesPlugin::in_zones(const std::vector<Requirement>& zones, const Node& node) const {
  if (zones.empty()) return true;
  const StringTable& strings = view_->vocabulary->strings;
  auto label = [&](std::string_view key) {
    StrId id = strings.find(key);
    return id.valid() ? find_label(node.labels, id) : StrId();
  };
  bool any = std::ranges::any_of(kZoneKeys,
                                 [&](const ZoneLabel& zone) { return label(zone.key).valid(); });
  if (!any) return true;
  return std::ranges::all_of(zones, [&](const Requirement& zone) {
    StrId value = find_label(node.labels, zone.key);
    auto known = std::ranges::find(kZoneKeys, strings.view(zone.key), &ZoneLabel::key);
    if (!value.valid() && known != kZoneKeys.end()) value = label(known->newer);
    return value.valid() && std::ranges::find(zone.values, value) != zone.values.end();
  });
}

bool VolumesPlugin::needs_stock(const PodVolumes& own) const {
  return std::ranges::any_of(own.waiting, [&](const WaitingClaim& claim) {
    bool freely_made = claim.made && !claim.made->by_pool;
    return !freely_made || stock_.of_class(claim.need.storage_class).has_volumes;
  });
}

int64_t VolumesPlugin::storable(const PodVolumes& own, NodeId node, int64_t most,
                                ReasonCode& why) const {
  if (own.waiting.empty()) return most;
  if (!needs_stock(own)) {
    const StringTable& strings = view_->vocabulary->strings;
    bool made = std::ranges::all_of(own.waiting, [&](const WaitingClaim& claim) {
      return may_make(claim, (*view_->nodes)[node], strings);
    });
    if (!made) why = ReasonCode::NoVolumeForClaim;
    return made ? most : 0;
  }
  return search_stock(own, node, most, why);
}

int64_t VolumesPlugin::search_stock(const PodVolumes& own, NodeId node, int64_t most,
                                    ReasonCode& why) const {
  std::vector<Claimants> made;
  auto claim = [&](const PodVolumes& of, ReasonCode& because) {
    Claimants claimants = claim_all(of, node, *alone_, because);
    if (claimants.empty()) return false;
    made.push_back(std::move(claimants));
    return true;
  };
  auto there = waiting_on_.find(node.value);
  if (there != waiting_on_.end()) {
    ReasonCode ignored = ReasonCode::None;
    for (PodClassId pod_class : there->second) claim(*volumes(pod_class), ignored);
  }
  int64_t count = 0;
  while (count < most && claim(own, why)) ++count;
  for (const Claimants& claimants : made) unclaim(claimants, node, *alone_);
  return count;
}

bool VolumesPlugin::is_shared(const WaitingClaim& claim) const {
  if (claim.name.valid()) return true;
  const StorageStock::OfClass& of = stock_.of_class(claim.need.storage_class);
  return of.shares_volumes || (of.shares_pools && claim.made && claim.made->by_pool);
}

bool VolumesPlugin::links(PodClassId pod_class) const {
  const PodVolumes* own = volumes(pod_class);
  if (own == nullptr) return false;
  return !own->exclusive.empty() ||
         std::ranges::any_of(own->waiting, [&](const auto& claim) { return is_shared(claim); });
}

void VolumesPlugin::link_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  if (!links(pod_class)) return;
  for (const WaitingClaim& claim : volumes(pod_class)->waiting) {
    const std::vector<StrId>& of_class = stock_.of_class(claim.need.storage_class).keys;
    keys.insert(keys.end(), of_class.begin(), of_class.end());
    if (claim.name.valid() && claim.made && hostname_.valid()) keys.push_back(hostname_);
  }
}

ReasonCode VolumesPlugin::link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const {
  if (!links(pod_class)) return ReasonCode::None;
  const PodVolumes& own = *volumes(pod_class);
  if (uses_.in_use(own, mode)) return ReasonCode::VolumeInUse;
  return own.waiting.empty() ? ReasonCode::None : storage_verdict(own, node);
}

// None also where the node by itself lacks the storage: then it is the counter that refuses.
ReasonCode VolumesPlugin::storage_verdict(const PodVolumes& own, NodeId node) const {
  ReasonCode why = ReasonCode::None;
  unclaim(claim_all(own, node, *match_, why), node, *match_);
  if (why == ReasonCode::None) return why;
  ReasonCode alone = ReasonCode::None;
  return storable(own, node, 1, alone) > 0 ? why : ReasonCode::None;
}

// A claim that several pods name and that is made has one node.
void VolumesPlugin::binding_keys(PodClassId pod_class, FitMode /*mode*/,
                                 std::vector<StrId>& keys) const {
  const PodVolumes* own = volumes(pod_class);
  if (own == nullptr || !hostname_.valid()) return;
  bool bound = std::ranges::any_of(own->waiting, [&](const WaitingClaim& claim) {
    return claim.name.valid() && claim.made &&
           !stock_.of_class(claim.need.storage_class).has_volumes;
  });
  if (bound) keys.push_back(hostname_);
}

// The volumes that suit a claim, and the room of pools for it, on any of the nodes.
int64_t VolumesPlugin::most_alone(PodClassId pod_class, std::span<const NodeId> nodes,
                                  std::span<const int32_t> /*fits*/) const {
  const PodVolumes* own = volumes(pod_class);
  int64_t most = std::numeric_limits<int64_t>::max();
  if (own == nullptr || !links(pod_class)) return most;
  if (!own->exclusive.empty()) return 1;
  std::vector<uint32_t> shelves;
  std::vector<uint32_t> pools;
  std::vector<uint32_t> stocks;
  for (NodeId node : nodes) stocks.push_back(stock_.stock_number(node));
  drop_repeats(stocks);
  for (uint32_t number : stocks) {
    const StorageStock::Stock& stock = stock_.stock_by_number(number);
    shelves.insert(shelves.end(), stock.shelves.begin(), stock.shelves.end());
    pools.insert(pools.end(), stock.pools.begin(), stock.pools.end());
  }
  drop_repeats(shelves);
  drop_repeats(pools);
  for (const WaitingClaim& claim : own->waiting) {
    if (claim.name.valid() || (claim.made && !claim.made->by_pool)) continue;
    int64_t places = 0;
    for (uint32_t shelf : shelves) {
      for (uint32_t volume : stock_.shelf(shelf).volumes) {
        places += suits(claim.need, stock_.volume(volume), view_->vocabulary->strings) ? 1 : 0;
      }
    }
    for (uint32_t index : pools) {
      const StoragePool& pool = stock_.pool(index);
      if (!claim.made || pool.storage_class != claim.need.storage_class) continue;
      std::optional<int64_t> largest = pool.most_bytes ? pool.most_bytes : pool.bytes;
      if (!largest || *largest < claim.need.bytes) continue;
      if (!pool.bytes || claim.need.bytes == 0) return most;
      places += std::max<int64_t>(*pool.bytes / claim.need.bytes, 1);
    }
    int64_t alike = std::ranges::count(own->waiting, claim);
    most = std::min(most, places / alike);
  }
  return most;
}

// Empty: some claim has no place, `why` says for what reason, and nothing changed.
VolumesPlugin::Claimants VolumesPlugin::claim_all(const PodVolumes& own, NodeId node,
                                                  ClaimMatch& match, ReasonCode& why) const {
  Claimants claimants;
  for (const WaitingClaim& claim : own.waiting) {
    ClaimMatch::ClaimantId id = ClaimMatch::kNone;
    why = match.add(claim, node, id);
    if (why != ReasonCode::None) {
      unclaim(claimants, node, match);
      return {};
    }
    claimants.push_back(id);
  }
  return claimants;
}

void VolumesPlugin::unclaim(const Claimants& claimants, NodeId node, ClaimMatch& match) const {
  for (ClaimMatch::ClaimantId id : claimants) match.remove(id, node);
}

void VolumesPlugin::pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  const PodVolumes& own = *volumes(pod_class);
  uses_.change(own, node, presence, 1);
  if (own.waiting.empty()) return;
  settled_ = false;
  waiting_on_[node.value].push_back(pod_class);
  ReasonCode why = ReasonCode::None;
  Claimants claimants = claim_all(own, node, *match_, why);
  placements_[{pod.value, pod_class.value, node.value}].push_back(std::move(claimants));
}

void VolumesPlugin::pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  const PodVolumes& own = *volumes(pod_class);
  uses_.change(own, node, presence, -1);
  if (own.waiting.empty()) return;
  settled_ = false;
  std::vector<PodClassId>& there = waiting_on_[node.value];
  auto at = std::ranges::find(there, pod_class);
  if (at != there.end()) there.erase(at);
  if (there.empty()) waiting_on_.erase(node.value);
  auto found = placements_.find({pod.value, pod_class.value, node.value});
  if (found == placements_.end()) return;
  unclaim(found->second.back(), node, *match_);
  found->second.pop_back();
  if (found->second.empty()) placements_.erase(found);
}

// Pods in order of name choose first.
void VolumesPlugin::settle() const {
  const StringTable& strings = view_->vocabulary->strings;
  using Key = std::tuple<std::string_view, std::string_view, uint32_t>;
  std::vector<std::pair<Key, const Claimants*>> order;
  for (const auto& [placement, groups] : placements_) {
    auto [pod, pod_class, node] = placement;
    if (!PodId(pod).valid() || !view_->pods->contains(PodId(pod))) continue;
    const Pod& record = (*view_->pods)[PodId(pod)].pod;
    for (const Claimants& claimants : groups) {
      order.push_back({{strings.view(record.name_space), record.name, node}, &claimants});
    }
  }
  std::ranges::sort(order, {}, &std::pair<Key, const Claimants*>::first);
  Claimants all;
  for (const auto& [key, claimants] : order) {
    all.insert(all.end(), claimants->begin(), claimants->end());
  }
  match_->settle(all);
  settled_ = true;
}

void VolumesPlugin::choose(PodId pod, NodeId node, std::vector<ClaimChoice>& choices) const {
  const PodSlot& slot = (*view_->pods)[pod];
  auto found = placements_.find({pod.value, slot.pod_class.value, node.value});
  if (found == placements_.end() || !slot.pod.waiting_claims) return;
  if (!settled_) settle();
  const Claimants& claimants = found->second.back();
  for (size_t i = 0; i < claimants.size(); ++i) {
    uint32_t volume = match_->volume(claimants[i]);
    std::string name = volume == ClaimMatch::kNone ? "" : stock_.volume(volume).name;
    choices.push_back({(*slot.pod.waiting_claims)[i], std::move(name)});
  }
}

}  // namespace trellis
