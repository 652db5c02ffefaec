// How many pods a node takes by their claims, and what refuses it.
#include <algorithm>
#include <utility>

#include "framework/node_itself.h"
#include "framework/selectors.h"
#include "plugins/devices/devices_plugin.h"

namespace trellis {

// False: the claims of the class that are allocated have devices which the node does not reach.
bool DevicesPlugin::reaches_devices(PodClassId pod_class, NodeId node) const {
  const PodSpec& spec = (*view_->pod_classes)[pod_class];
  if (!spec.devices) return true;
  for (const DeviceNeed& need : spec.devices->needs) {
    const FixedClaims::Fixed* fixed = allocated(need);
    if (fixed == nullptr) continue;
    const std::optional<devices::NodeTerm>& nodes = fixed->allocation().nodes;
    if (nodes && !map_.meets(node, *nodes)) return false;
  }
  if (!spec.has_claim_terms) return true;
  const Node& record = (*view_->nodes)[node];
  return std::ranges::any_of(spec.claim_terms, [&](const SelectorTerm& term) {
    return matches(term, record.labels, record.name, view_->vocabulary->strings);
  });
}

// Also to pods whose claims are all allocated, for may_stay().
bool DevicesPlugin::applies(PodClassId pod_class) const { return devices_of(pod_class) != nullptr; }

bool DevicesPlugin::has_needs(PodClassId pod_class) const {
  const PodDevices* needs = devices_of(pod_class);
  return needs != nullptr && (!needs->needs.empty() || needs->extended);
}

// A claim of several pods; one of the pod's own is a need only while it is not allocated.
const FixedClaims::Fixed* DevicesPlugin::allocated(const DeviceNeed& need) const {
  if (!need.name.valid()) return nullptr;
  return fixed_.find(std::string(view_->vocabulary->strings.view(need.name)));
}

bool DevicesPlugin::has_open_needs(PodClassId pod_class) const {
  const PodDevices* needs = devices_of(pod_class);
  if (needs == nullptr) return false;
  auto open = [&](const DeviceNeed& need) { return allocated(need) == nullptr; };
  return needs->extended || std::ranges::any_of(needs->needs, open);
}

// Whether some claim of the class can be allocated nowhere.
bool DevicesPlugin::fails(PodClassId pod_class) const {
  const std::vector<DeviceNeed>& needs = devices_of(pod_class)->needs;
  const ClassDevices& of_class = class_devices(pod_class);
  for (size_t i = 0; i < needs.size(); ++i) {
    if (of_class.fails(i) && allocated(needs[i]) == nullptr) return true;
  }
  return of_class.extended_fails();
}

bool DevicesPlugin::shares_open_claim(PodClassId pod_class) const {
  if (!class_devices(pod_class).names()) return false;
  return std::ranges::any_of(devices_of(pod_class)->needs, [&](const DeviceNeed& need) {
    return need.name.valid() && allocated(need) == nullptr;
  });
}

// Whether a placement elsewhere may take what a count has found on a node.
bool DevicesPlugin::may_collide(PodClassId pod_class) const {
  if (!has_open_needs(pod_class)) return false;
  return class_devices(pod_class).shares() || shares_open_claim(pod_class);
}

// Whether the allocated claims of the class will have their devices. A claim whose users all leave
// gives up its devices with them: others may have been promised these.
bool DevicesPlugin::keeps_devices(PodClassId pod_class) const {
  const PodDevices* needs = devices_of(pod_class);
  return needs == nullptr || std::ranges::all_of(needs->needs, [&](const DeviceNeed& need) {
           const FixedClaims::Fixed* fixed = allocated(need);
           return fixed == nullptr || fixed->in_future || future_->can_hold(fixed->allocation());
         });
}

// Whether a placement elsewhere may take the devices of an allocated claim of the class.
bool DevicesPlugin::may_lose_devices(PodClassId pod_class) const {
  const PodDevices* needs = devices_of(pod_class);
  if (needs == nullptr || !map_.any_shared()) return false;
  return std::ranges::any_of(needs->needs, [&](const DeviceNeed& need) {
    const FixedClaims::Fixed* fixed = allocated(need);
    return fixed != nullptr && !fixed->record.kept;
  });
}

// Its claims keep their devices while no other claim has them.
bool DevicesPlugin::may_stay(PodId pod, NodeId node) const {
  const Placement* placement = placement_of(pod, node, Presence::Evicted);
  if (placement == nullptr) return true;
  return std::ranges::all_of(placement->fixed, [&](const std::string& name) {
    const FixedClaims::Fixed* fixed = fixed_.find(name);
    return fixed == nullptr || fixed->in_future || future_->can_hold(fixed->allocation());
  });
}

bool DevicesPlugin::asked(PodClassId pod_class, NodeId node, std::vector<Asked>& claims) const {
  const PodDevices& needs = *devices_of(pod_class);
  ClassDevices& of_class = class_devices(pod_class);
  for (size_t i = 0; i < needs.needs.size(); ++i) {
    if (allocated(needs.needs[i]) == nullptr) claims.push_back(of_class.asked(i, node));
  }
  if (!needs.extended) return true;
  const devices::Claim* claim = of_class.extended((*view_->nodes)[node], *view_->vocabulary);
  if (claim == nullptr) return false;
  if (!claim->requests.empty()) claims.push_back({.claim = claim});
  return true;
}

void DevicesPlugin::count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                              std::span<int32_t> counts) const {
  bool needs = has_needs(pod_class);
  if (!needs && !(*view_->pod_classes)[pod_class].has_claim_terms) return;
  bool failed = needs && fails(pod_class);
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (counts[i] <= 0) continue;
    bool opens = !failed && reaches_devices(pod_class, nodes[i]);
    int64_t most = opens ? counts[i] : 0;
    if (most > 0 && needs) most = count(pod_class, mode, nodes[i], most);
    counts[i] = static_cast<int32_t>(most);
  }
}

// A pod that is placed now must leave those their devices that are promised some.
int64_t DevicesPlugin::count(PodClassId pod_class, FitMode mode, NodeId node, int64_t most) const {
  const PodDevices& needs = *devices_of(pod_class);
  bool one_plain = needs.needs.size() == 1 && !needs.extended && !needs.needs[0].name.valid();
  bool now = mode == FitMode::Now;
  if (one_plain) {
    const DeviceLedger::Plan& plan = *class_devices(pod_class).asked(0, node).plan;
    bool fast = plan.alike && (!map_.any_shared() || !map_.shares(node)) &&
                is_exact(plan, *now_, node) && (differing_ == 0 || is_exact(plan, *future_, node));
    if (fast) {
      if (now || differing_ == 0) most = std::min(most, count_plain(plan, *now_));
      if (differing_ > 0) most = std::min(most, count_plain(plan, *future_));
      return most;
    }
  }
  if (!map_.shares(node) && !keeps_devices(pod_class)) return 0;
  std::vector<Asked> claims;
  if (!asked(pod_class, node, claims)) return 0;
  if (claims.empty()) return most;
  // A node that pods elsewhere may leave devices to is not counted again when one of them leaves.
  bool later = differing_ > 0 || (!now && map_.shares(node));
  if (now || !later) most = count_in(pod_class, claims, FitMode::Now, node, most);
  if (later && most > 0) {
    most = count_in(pod_class, claims, FitMode::Future, node, most);
  }
  return most;
}

int64_t DevicesPlugin::count_plain(const DeviceLedger::Plan& plan,
                                   const DeviceLedger& ledger) const {
  int64_t free = 0;
  for (devices::DeviceIndex device : plan.devices) free += ledger.is_free(device) ? 1 : 0;
  return free / plan.devices_of_claim;
}

// Whether the open claims of the node take the same number of the plan's devices however they are
// served.
bool DevicesPlugin::is_exact(const DeviceLedger::Plan& plan, const DeviceLedger& ledger,
                             NodeId node) const {
  return std::ranges::all_of(ledger.open_on(node), [&](DeviceLedger::ClaimId id) {
    const DeviceLedger::Plan* other = ledger.plan_of(id);
    if (other == nullptr || !other->alike) return false;
    if (other == &plan || other->devices == plan.devices) return true;
    auto among = [&](devices::DeviceIndex device) {
      return std::ranges::find(plan.devices, device) != plan.devices.end();
    };
    return std::ranges::all_of(other->devices, among) ||
           std::ranges::none_of(other->devices, among);
  });
}

int64_t DevicesPlugin::count_in(PodClassId pod_class, const std::vector<Asked>& claims,
                                FitMode mode, NodeId node, int64_t most) const {
  DeviceLedger& all = ledger(mode);
  std::span<const DeviceLedger::ClaimId> open = all.open_on(node);
  ClassDevices& of_class = class_devices(pod_class);
  bool named =
      shares_open_claim(pod_class) ||
      std::ranges::any_of(open, [&](DeviceLedger::ClaimId id) { return all.name_of(id).valid(); });
  if (named || map_.shares(node)) return count_alone(claims, mode, node, most);
  // The claim for extended resources depends on the node.
  bool alike = open.empty() && !devices_of(pod_class)->extended;
  std::string likeness = alike ? of_class.likeness(node, &all) : std::string();
  ClassDevices::Known* known = nullptr;
  if (!likeness.empty()) {
    known = &of_class.counts()[likeness];
  } else {
    // Trials come back to the same states of a node.
    std::string state;
    auto add = [&](auto number) {
      state.append(reinterpret_cast<const char*>(&number), sizeof(number));
    };
    add(node.value);
    add(claims.size());
    for (const Asked& claim : claims) add(claim.claim);
    state += all.state_of(node);
    known = &of_class.states()[state];
  }
  if (known->pods == known->most && known->most < most) {
    *known = {count_in_ledger(claims, all, node, most), most};
  }
  return std::min(known->pods, most);
}

// Pods on other nodes do not count: what they leave is asked at each placement.
int64_t DevicesPlugin::count_alone(const std::vector<Asked>& claims, FitMode mode, NodeId node,
                                   int64_t most) const {
  // A claim that others have, too, may be allocated as their nodes see it.
  std::vector<Asked> own = claims;
  if (map_.any_shared()) {
    std::erase_if(own, [](const Asked& claim) { return claim.name.valid(); });
  }
  if (own.empty()) return most;
  const DeviceLedger& all = ledger(mode);
  DeviceLedger& alone = mode == FitMode::Now ? *alone_now_ : *alone_future_;
  std::vector<ClaimIds> others;
  for (DeviceLedger::ClaimId id : all.open_on(node)) {
    Asked there{&all.claim_of(id), all.name_of(id), all.plan_of(id), all.requests_of(id)};
    ClaimIds ids;
    if (!alone.add({&there, 1}, node, ids)) {
      alone.remove(ids, node);
      continue;
    }
    others.push_back(std::move(ids));
  }
  int64_t count = count_in_ledger(own, alone, node, most);
  for (const ClaimIds& ids : others) alone.remove(ids, node);
  return count;
}

int64_t DevicesPlugin::count_in_ledger(const std::vector<Asked>& claims, DeviceLedger& ledger,
                                       NodeId node, int64_t most) const {
  ledger.set_budget(kCountBudget);
  int64_t count = ledger.count(claims, node, most);
  bool places = &ledger == now_.get() || &ledger == future_.get();
  ledger.set_budget(places ? kPlaceBudget : kCountBudget);
  return count;
}

ReasonCode DevicesPlugin::refusal(PodClassId pod_class, FitMode mode, NodeId node) const {
  if (!reaches_devices(pod_class, node)) return ReasonCode::DevicesOutOfReach;
  if (!has_needs(pod_class)) return ReasonCode::None;
  if (fails(pod_class)) return ReasonCode::DeviceClaimFails;
  if (differing_ == 0) mode = FitMode::Now;
  if (count(pod_class, mode, node, 1) > 0) return ReasonCode::None;
  if (!keeps_devices(pod_class)) return ReasonCode::DevicesTaken;
  ClassDevices& of_class = class_devices(pod_class);
  std::vector<Asked> claims;
  if (!asked(pod_class, node, claims)) return ReasonCode::DevicesOutOfReach;
  if (claims.size() == 1 && claims[0].plan != nullptr && claims[0].plan->alike) {
    bool enough =
        static_cast<int64_t>(claims[0].plan->devices.size()) >= claims[0].plan->devices_of_claim;
    return enough ? ReasonCode::DevicesTaken : ReasonCode::NoDevicesForClaim;
  }
  std::string likeness = of_class.likeness(node, nullptr);
  if (likeness.empty()) return why_never(claims, map_.devices_of(node), map_.inventory());
  auto [known, fresh] = of_class.reasons().try_emplace(std::move(likeness), ReasonCode::None);
  if (fresh) known->second = why_never(claims, map_.devices_of(node), map_.inventory());
  return known->second;
}

// A claim that several pods share is allocated as one of their nodes sees it: that pod goes first.
bool DevicesPlugin::order_matters(PodClassId pod_class) const {
  if (!has_needs(pod_class)) return false;
  return class_devices(pod_class).shares() && shares_open_claim(pod_class);
}

bool DevicesPlugin::links(PodClassId pod_class) const {
  if (devices_of(pod_class) == nullptr) return false;
  return !domain_of(pod_class).empty() || may_collide(pod_class) || may_lose_devices(pod_class);
}

void DevicesPlugin::link_keys(PodClassId pod_class, std::vector<StrId>& keys) const {
  if (!links(pod_class)) return;
  bool by_node = may_collide(pod_class) || may_lose_devices(pod_class) || !clique_.valid();
  keys.push_back(by_node ? kNodeItself : clique_);
}

// A node without a clique is one by itself.
uint32_t DevicesPlugin::clique_of(NodeId node) const {
  StrId value = clique_.valid() ? find_label((*view_->nodes)[node].labels, clique_) : StrId();
  return value.valid() ? value.value : ~node.value;
}

void DevicesPlugin::join_domain(PodClassId pod_class, NodeId node, Presence presence, int64_t by) {
  const std::string& domain = domain_of(pod_class);
  if (domain.empty()) return;
  std::map<uint32_t, PodCount>& cliques = domains_[domain];
  uint32_t clique = clique_of(node);
  cliques[clique].add(presence, by);
  if (cliques[clique].empty()) cliques.erase(clique);
  if (cliques.empty()) domains_.erase(domain);
}

bool DevicesPlugin::leaves_domain(PodClassId pod_class, FitMode mode, NodeId node) const {
  auto found = domains_.find(domain_of(pod_class));
  if (found == domains_.end()) return false;
  uint32_t clique = clique_of(node);
  return std::ranges::any_of(found->second, [&](const auto& entry) {
    return entry.first != clique && entry.second.in_the_way(mode) > 0;
  });
}

ReasonCode DevicesPlugin::link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const {
  if (!links(pod_class)) return ReasonCode::None;
  if (leaves_domain(pod_class, mode, node)) return ReasonCode::DevicesOutOfReach;
  if (map_.shares(node) && !keeps_devices(pod_class)) return ReasonCode::DevicesTaken;
  if (!may_collide(pod_class)) return ReasonCode::None;
  std::vector<Asked> claims;
  if (!asked(pod_class, node, claims)) return ReasonCode::None;
  auto fits = [&](DeviceLedger& ledger) { return ledger.count(claims, node, 1) > 0; };
  auto are_free = [&] {
    bool served = (mode == FitMode::Future && differing_ > 0) || fits(*now_);
    return served && (differing_ == 0 || fits(*future_));
  };
  if (are_free() || count(pod_class, mode, node, 1) == 0) return ReasonCode::None;
  // Those that other pods have, too, may be allocated where the node reaches nothing.
  bool shared = std::erase_if(claims, [](const Asked& claim) { return claim.name.valid(); }) > 0;
  return shared && are_free() ? ReasonCode::DevicesOutOfReach : ReasonCode::DevicesTaken;
}

// A claim that several pods share, and devices that are a node's own: the pods share the node.
void DevicesPlugin::binding_keys(PodClassId pod_class, FitMode /*mode*/,
                                 std::vector<StrId>& keys) const {
  if (devices_of(pod_class) == nullptr) return;
  const ClassDevices& of_class = class_devices(pod_class);
  if (!of_class.shares() && of_class.takes_devices() && shares_open_claim(pod_class)) {
    keys.push_back(kNodeItself);
  }
  if (!domain_of(pod_class).empty()) keys.push_back(clique_.valid() ? clique_ : kNodeItself);
}

}  // namespace trellis
