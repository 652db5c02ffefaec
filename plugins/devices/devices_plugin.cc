#include "plugins/devices/devices_plugin.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "devices/completion.h"
#include "devices/sort_unique.h"
#include "framework/node_itself.h"
#include "framework/selectors.h"
#include "plugins/devices/device_stands.h"

namespace trellis {
namespace {

bool is_there_now(Presence presence) { return presence != Presence::Promised; }
bool is_there_in_future(Presence presence) {
  return presence == Presence::Stays || presence == Presence::Promised;
}

// In each of these nodes every GPU reaches those of the others by NVLink.
constexpr std::string_view kClique = "nvidia.com/gpu.clique";

Presence presence_in(const auto& place) { return std::get<3>(place); }

}  // namespace

void DevicesPlugin::open(const View& view, Hooks& hooks) {
  view_ = &view;
  settled_ = false;
  holders_.reset();
  for (const std::unique_ptr<ClassDevices>& of_class : classes_) {
    if (of_class) of_class->states().clear();
  }
  if (view.devices->empty()) {
    now_.reset();
    placements_.clear();
    domains_.clear();
    users_.clear();
    pod_names_.clear();
    differing_ = 0;
    return;
  }
  clique_ = view.vocabulary->strings.find(kClique);
  if (map_.refresh(view) || !now_ || read_to_ < view.devices->first) {
    rebuild();
  } else {
    follow_claims();
  }
  hooks.node_counters.push_back({this, name()});
  hooks.pod_links.push_back({this, name()});
  hooks.listeners.push_back({this, name()});
  hooks.device_allocator.supply(this, name());
}

std::string DevicesPlugin::name_of(StrId name_space, StrId claim) const {
  const StringTable& strings = view_->vocabulary->strings;
  std::string name(strings.view(name_space));
  name.append("/").append(strings.view(claim));
  return name;
}

ClassDevices& DevicesPlugin::class_devices(PodClassId pod_class) const {
  if (classes_.size() <= pod_class.value) classes_.resize(pod_class.value + 1);
  std::unique_ptr<ClassDevices>& known = classes_[pod_class.value];
  if (!known) known = std::make_unique<ClassDevices>(map_, *devices_of(pod_class));
  return *known;
}

// What pods that have a node hold of other devices than before.
void DevicesPlugin::rebuild() {
  classes_.clear();
  fixed_.clear();
  for (std::unique_ptr<DeviceLedger>* ledger : {&now_, &future_, &alone_now_, &alone_future_}) {
    *ledger = std::make_unique<DeviceLedger>(map_);
    bool counts = ledger == &alone_now_ || ledger == &alone_future_;
    (*ledger)->set_budget(counts ? kCountBudget : kPlaceBudget);
  }
  read_to_ = view_->devices->end();
  for (const auto& [name, record] : view_->devices->claims) add_fixed(name, record);
  for (auto& [place, stack] : placements_) {
    for (Placement& placement : stack) {
      placement.now.clear();  // of the ledgers that were
      placement.future.clear();
      placement.fixed.clear();
      placement.open.clear();
      enter(place, placement);
    }
  }
}

void DevicesPlugin::follow_claims() {
  const DeviceStock& stock = *view_->devices;
  for (; read_to_ < stock.end(); ++read_to_) {
    change_claim(stock.changed_claims[read_to_ - stock.first]);
  }
}

void DevicesPlugin::add_fixed(const std::string& name, const DeviceClaim& record) {
  if (!record.claim->allocation) return;
  FixedClaims::Fixed& fixed = fixed_.add(name, record);
  fixed.frees_others = !record.kept && map_.is_common(fixed.allocation());
  for (DeviceLedger* ledger : all_ledgers()) {
    if (has_fixed(*ledger, fixed)) ledger->hold(fixed.allocation());
  }
}

// A node is not counted again when a pod leaves another node: its count must hold then, too.
bool DevicesPlugin::has_fixed(const DeviceLedger& ledger, const FixedClaims::Fixed& fixed) const {
  return &ledger != alone_future_.get() || !fixed.frees_others;
}

void DevicesPlugin::change_claim(const std::string& name) {
  std::vector<Place> places;
  if (auto users = users_.find(name); users != users_.end()) places = users->second;
  devices::sort_unique(places);
  for (const Place& place : places) {
    for (Placement& placement : placements_[place]) withdraw(place, placement);
  }
  if (const FixedClaims::Fixed* fixed = fixed_.find(name)) {
    for (DeviceLedger* ledger : all_ledgers()) {
      if (has_fixed(*ledger, *fixed)) ledger->release(fixed->allocation());
    }
    fixed_.erase(name);
  }
  auto record = view_->devices->claims.find(name);
  if (record != view_->devices->claims.end()) add_fixed(name, record->second);
  for (const Place& place : places) {
    for (Placement& placement : placements_[place]) enter(place, placement);
  }
}

// REQUIRES: no pod is counted for a claim that is released.
void DevicesPlugin::use_fixed(const Place& place, const std::string& name, int32_t by) {
  FixedClaims::Fixed* fixed = fixed_.find(name);
  if (fixed == nullptr) return;
  PodId id(std::get<0>(place));
  std::string pod = id.valid() ? pod_names_[id.value] : std::string();
  if (!FixedClaims::use(*fixed, pod, presence_in(place), by)) return;
  for (DeviceLedger* ledger : {future_.get(), alone_future_.get()}) {
    if (!has_fixed(*ledger, *fixed)) continue;
    if (fixed->in_future) {
      ledger->hold(fixed->allocation());
    } else {
      ledger->release(fixed->allocation());
    }
  }
}

void DevicesPlugin::enter(const Place& place, Placement& placement) {
  auto [pod, pod_class, node_id, presence] = place;
  NodeId node(node_id);
  const PodDevices& needs = *devices_of(PodClassId(pod_class));
  ClassDevices& of_class = class_devices(PodClassId(pod_class));
  std::vector<Asked> claims;
  for (size_t i = 0; i < std::max(needs.needs.size(), placement.names.size()); ++i) {
    bool named = i < placement.names.size();
    // A pod's own claim that is a need loses its devices before the pod has another node.
    bool lost =
        presence == Presence::Promised && i < needs.needs.size() && !needs.needs[i].name.valid();
    if (named && !lost && fixed_.find(placement.names[i]) != nullptr) {
      placement.fixed.push_back(placement.names[i]);
      use_fixed(place, placement.names[i], 1);
    } else if (i < needs.needs.size()) {
      placement.open.push_back(i);
      claims.push_back(of_class.asked(i, node));
    }
  }
  if (needs.extended) {
    const devices::Claim* claim = of_class.extended((*view_->nodes)[node], *view_->vocabulary);
    if (claim != nullptr && !claim->requests.empty()) {
      placement.open.push_back(kExtended);
      claims.push_back({.claim = claim});
    }
  }
  if (is_there_now(presence)) now_->add(claims, node, placement.now);
  if (is_there_in_future(presence)) future_->add(claims, node, placement.future);
}

void DevicesPlugin::withdraw(const Place& place, Placement& placement) {
  NodeId node(std::get<2>(place));
  now_->remove(placement.now, node);
  future_->remove(placement.future, node);
  for (const std::string& name : placement.fixed) use_fixed(place, name, -1);
  placement.now.clear();
  placement.future.clear();
  placement.fixed.clear();
  placement.open.clear();
}

void DevicesPlugin::pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  settled_ = false;
  holders_.reset();
  Place place{pod.value, pod_class.value, node.value, presence};
  Placement placement;
  if (pod.valid()) {
    const Pod& record = (*view_->pods)[pod].pod;
    pod_names_[pod.value] = record.name.view();
    if (record.device_claims) {
      for (StrId claim : *record.device_claims) {
        placement.names.push_back(name_of(record.name_space, claim));
        users_[placement.names.back()].push_back(place);
      }
    }
  }
  if (presence != Presence::Stays) ++differing_;
  join_domain(pod_class, node, presence, 1);
  enter(place, placement);
  placements_[place].push_back(std::move(placement));
}

void DevicesPlugin::pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) {
  settled_ = false;
  holders_.reset();
  Place place{pod.value, pod_class.value, node.value, presence};
  auto found = placements_.find(place);
  if (found == placements_.end()) return;
  Placement& placement = found->second.back();
  withdraw(place, placement);
  for (const std::string& name : placement.names) {
    std::vector<Place>& places = users_[name];
    places.erase(std::ranges::find(places, place));
    if (places.empty()) users_.erase(name);
  }
  if (presence != Presence::Stays) --differing_;
  join_domain(pod_class, node, presence, -1);
  found->second.pop_back();
  if (found->second.empty()) placements_.erase(found);
}

// In the order of the pods' names.
void DevicesPlugin::settle() const {
  const StringTable& strings = view_->vocabulary->strings;
  using Key = std::tuple<std::string_view, std::string_view, uint32_t>;
  std::vector<std::pair<Key, const Placement*>> order;
  for (const auto& [place, stack] : placements_) {
    PodId pod(std::get<0>(place));
    if (presence_in(place) != Presence::Stays || !pod.valid() || stack.back().now.empty()) continue;
    if (!view_->pods->contains(pod)) continue;
    const Pod& record = (*view_->pods)[pod].pod;
    order.push_back(
        {{strings.view(record.name_space), record.name, std::get<2>(place)}, &stack.back()});
  }
  std::ranges::sort(order, {}, &std::pair<Key, const Placement*>::first);
  std::vector<DeviceLedger::PodClaims> pods;
  for (const auto& [key, placement] : order) {
    pods.push_back({NodeId(std::get<2>(key)), placement->now});
  }
  now_->settle(pods);
  settled_ = true;
}

// Its class may be another one than in the cluster: with what a flavor adds.
const DevicesPlugin::Placement* DevicesPlugin::placement_of(PodId pod, NodeId node,
                                                            Presence presence) const {
  auto found = placements_.lower_bound({pod.value, 0, 0, Presence::Stays});
  for (; found != placements_.end() && std::get<0>(found->first) == pod.value; ++found) {
    bool here = std::get<2>(found->first) == node.value && presence_in(found->first) == presence;
    if (here) return &found->second.back();
  }
  return nullptr;
}

void DevicesPlugin::allocate(PodId pod, NodeId node, std::vector<DeviceGrant>& grants) const {
  const PodSlot& slot = (*view_->pods)[pod];
  const Placement* found = placement_of(pod, node, Presence::Stays);
  if (found == nullptr) return;
  const Placement& placement = *found;
  if (!settled_ && !placement.now.empty()) settle();
  const StringTable& strings = view_->vocabulary->strings;
  for (const std::string& name : placement.fixed) {
    StrId claim = strings.find(std::string_view(name).substr(name.find('/') + 1));
    const FixedClaims::Fixed* fixed = fixed_.find(name);
    grants.push_back({claim, SharedValue(fixed->allocation()), true});
  }
  for (size_t i = 0; i < placement.open.size(); ++i) {
    if (!now_->served(placement.now[i])) continue;
    size_t need = placement.open[i];
    const devices::Allocation& answer = now_->answer(placement.now[i]);
    if (need == kExtended || need >= placement.names.size()) {
      const devices::Claim& claim = now_->claim_of(placement.now[i]);
      grants.push_back(
          {StrId(), SharedValue(devices::allocation_for(claim, answer, map_.inventory()))});
      continue;
    }
    const devices::Claim* claim = &now_->claim_of(placement.now[i]);
    auto record = view_->devices->claims.find(placement.names[need]);
    if (record != view_->devices->claims.end()) claim = record->second.claim.get();
    grants.push_back({(*slot.pod.device_claims)[need],
                      SharedValue(devices::allocation_for(*claim, answer, map_.inventory()))});
  }
}

// The open claims that get their devices when the cycle ends.
std::set<DevicesPlugin::ClaimId> DevicesPlugin::held_now() const {
  std::set<ClaimId> held;
  for (const auto& [place, stack] : placements_) {
    if (presence_in(place) != Presence::Stays) continue;
    for (const Placement& placement : stack) {
      for (ClaimId id : placement.now) {
        if (now_->served(id)) held.insert(id);
      }
    }
  }
  return held;
}

bool DevicesPlugin::promises_hold() const {
  if (differing_ == 0) return true;
  std::set<ClaimId> held = held_now();
  if (!settled_ && !held.empty()) settle();
  DeviceLedger& ledger = *alone_future_;
  std::vector<const devices::Allocation*> more;
  for (ClaimId id : held) more.push_back(&now_->answer(id));
  for (const auto& [name, fixed] : fixed_.all()) {
    if (fixed.in_future && !has_fixed(ledger, fixed)) more.push_back(&fixed.allocation());
  }
  for (const devices::Allocation* allocation : more) ledger.hold(*allocation);
  ledger.set_budget(kPlaceBudget);
  bool hold = promise_all(ledger, held);
  ledger.set_budget(kCountBudget);
  for (const devices::Allocation* allocation : more) ledger.release(*allocation);
  return hold;
}

// Whether the ledger has devices for all pods that come later. Leaves the ledger as it was.
// `held`: claims that have their devices.
bool DevicesPlugin::promise_all(DeviceLedger& ledger, const std::set<ClaimId>& held) const {
  std::vector<std::pair<NodeId, ClaimIds>> added;
  auto promise = [&](const Place& place, const Placement& placement) {
    std::vector<Asked> claims;
    for (ClaimId id : placement.future) {
      StrId name = future_->name_of(id);
      if (name.valid() && held.contains(now_->find(name))) continue;
      claims.push_back(
          {&future_->claim_of(id), name, future_->plan_of(id), future_->requests_of(id)});
    }
    NodeId node(std::get<2>(place));
    return ledger.add(claims, node, added.emplace_back(node, ClaimIds()).second);
  };
  bool all = std::ranges::all_of(placements_, [&](const auto& entry) {
    const auto& [place, stack] = entry;
    if (presence_in(place) != Presence::Promised) return true;
    return std::ranges::all_of(
        stack, [&](const Placement& placement) { return promise(place, placement); });
  });
  for (const auto& [node, ids] : added) ledger.remove(ids, node);
  return all;
}

void DevicesPlugin::explain(PodClassId pod_class, FitMode mode, NodeId node,
                            std::vector<DeviceShortage>& shortages) const {
  std::vector<Asked> claims;
  if (!has_needs(pod_class) || !reaches_devices(pod_class, node)) return;
  if (!asked(pod_class, node, claims)) return;
  find_shortages(claims, ledger(mode), map_.node(node), map_, holders(), shortages);
}

std::vector<DeviceStand> DevicesPlugin::devices_near(NodeId node) const {
  const Holders& known = holders();  // settles the devices
  return device_stands(map_.node(node), map_.inventory(), *now_, known);
}

std::vector<DriverDevices> DevicesPlugin::devices_by_driver() const {
  if (!settled_) settle();
  return count_by_driver(map_.inventory(), *now_);
}

const Holders& DevicesPlugin::holders() const {
  if (holders_) return *holders_;
  if (!settled_) settle();
  holders_.emplace();
  auto hold = [&](const devices::Allocation& allocation, const std::string& holder) {
    for (const devices::Result& result : allocation.results) {
      (*holders_)[result.id].push_back(holder);
    }
  };
  for (const auto& [name, fixed] : fixed_.all()) {
    const std::vector<std::string>& pods = fixed.record.pods;
    if (pods.empty()) hold(fixed.allocation(), "claim " + name);
    std::string name_space = name.substr(0, name.find('/') + 1);
    for (const std::string& pod : pods) hold(fixed.allocation(), name_space + pod);
  }
  const StringTable& strings = view_->vocabulary->strings;
  for (const auto& [place, stack] : placements_) {
    PodId pod(std::get<0>(place));
    if (!pod.valid() || !view_->pods->contains(pod)) continue;
    const Pod& record = (*view_->pods)[pod].pod;
    std::string holder(strings.view(record.name_space));
    holder.append("/").append(record.name.view());
    for (DeviceLedger::ClaimId id : stack.back().now) hold(now_->answer(id), holder);
  }
  for (auto& [id, names] : *holders_) devices::sort_unique(names);
  return *holders_;
}

}  // namespace trellis
