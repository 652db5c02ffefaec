#include "plugins/devices/device_ledger.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "devices/completion.h"
#include "devices/counters.h"
#include "devices/search.h"
#include "devices/shares.h"

namespace trellis {
namespace {

// What add() appended last goes first, so that remove() leaves the order from before.
template <class T>
void erase_last(std::vector<T>& values, T value) {
  auto found = std::find(values.rbegin(), values.rend(), value);
  values.erase(std::next(found).base());
}

}  // namespace

DeviceLedger::DeviceLedger(const DeviceMap& map)
    : map_(map), taken_(map.inventory().devices().size(), 0) {}

void DeviceLedger::change(const devices::Allocation& allocation, int32_t by) {
  if (by > 0) {
    holdings_.add(allocation);
  } else {
    holdings_.remove(allocation);
  }
  for (const devices::Result& result : allocation.results) {
    if (result.admin_access) continue;
    map_.each_device(result.id, [&](devices::DeviceIndex device) {
      taken_[device] += static_cast<uint32_t>(by);
    });
  }
}

bool DeviceLedger::can_hold(const devices::Allocation& allocation) const {
  return std::ranges::all_of(allocation.results, [&](const devices::Result& result) {
    if (result.admin_access) return true;
    const devices::Holding* held = holdings_.find(result.id);
    bool free = held == nullptr;
    if (!free && result.shared && held->whole == 0) {
      map_.each_device(result.id, [&](devices::DeviceIndex device) {
        const devices::Device& shared = *map_.inventory().devices()[device].device;
        free = free || devices::fits(shared, result.consumed, held->used);
      });
    }
    return free && has_counters(allocation, result.id);
  });
}

// Whether the counters of the device's pool suffice for what others have, and for the allocation.
bool DeviceLedger::has_counters(const devices::Allocation& allocation,
                                const devices::DeviceId& id) const {
  devices::CountersLeft left(map_.inventory(), id.driver, id.pool, [&](auto index) {
    const devices::DeviceId& device = map_.inventory().devices()[index].id;
    bool wanted = std::ranges::any_of(
        allocation.results, [&](const devices::Result& result) { return result.id == device; });
    return wanted || holdings_.find(device) != nullptr;
  });
  return !left.any_below_zero();
}

void DeviceLedger::serve(Open& claim, devices::Allocation answer) {
  claim.answer = std::move(answer);
  claim.served = true;
  change(claim.answer, 1);
}

void DeviceLedger::unserve(Open& claim) {
  if (!claim.served) return;
  change(claim.answer, -1);
  claim.served = false;
  claim.answer = {};
}

std::span<const DeviceLedger::ClaimId> DeviceLedger::open_on(NodeId node) const {
  auto found = by_node_.find(node.value);
  if (found == by_node_.end()) return {};
  return found->second;
}

bool DeviceLedger::takes_devices(ClaimId id) const {
  return std::ranges::any_of(claims_[id].answer.results,
                             [](const devices::Result& result) { return !result.admin_access; });
}

DeviceLedger::ClaimId DeviceLedger::find(StrId name) const {
  auto found = by_name_.find(name.value);
  return found == by_name_.end() ? kNone : found->second;
}

DeviceLedger::ClaimId DeviceLedger::vacant() {
  if (vacant_.empty()) {
    claims_.emplace_back();
    return static_cast<ClaimId>(claims_.size() - 1);
  }
  ClaimId id = vacant_.back();
  vacant_.pop_back();
  return id;
}

bool DeviceLedger::add(std::span<const Asked> claims, NodeId node, std::vector<ClaimId>& ids) {
  for (const Asked& asked : claims) {
    ClaimId id = asked.name.valid() ? find(asked.name) : kNone;
    if (id == kNone) {
      id = vacant();
      claims_[id] = {
          .claim = asked.claim, .name = asked.name, .plan = asked.plan, .requests = asked.requests};
      if (asked.name.valid()) by_name_.emplace(asked.name.value, id);
    }
    claims_[id].nodes.push_back(node);
    by_node_[node.value].push_back(id);
    ids.push_back(id);
  }
  return serve_pod(ids, node) || serve_together(ids);
}

void DeviceLedger::remove(std::span<const ClaimId> ids, NodeId node) {
  for (ClaimId id : ids) {
    Open& open = claims_[id];
    erase_last(open.nodes, node);
    auto on_node = by_node_.find(node.value);
    erase_last(on_node->second, id);
    if (on_node->second.empty()) by_node_.erase(on_node);
    if (!open.nodes.empty()) continue;
    unserve(open);
    if (open.name.valid()) by_name_.erase(open.name.value);
    open = {};
    vacant_.push_back(id);
  }
}

int64_t DeviceLedger::count(std::span<const Asked> claims, NodeId node, int64_t most) {
  std::vector<std::pair<ClaimId, devices::Allocation>> replaced;
  replaced_ = &replaced;
  bool own = false;
  std::vector<ClaimId> without;  // claims that others have, too, and that have no devices
  for (const Asked& asked : claims) {
    own = own || !asked.name.valid();
    ClaimId id = asked.name.valid() ? find(asked.name) : kNone;
    if (id != kNone && !claims_[id].served) without.push_back(id);
  }
  std::vector<ClaimId> added;
  int64_t count = 0;
  while (count < most) {
    std::vector<ClaimId> ids;
    bool fits = add(claims, node, ids);
    added.insert(added.end(), ids.begin(), ids.end());
    if (!fits) break;
    bool takes = own && std::ranges::any_of(ids, [&](ClaimId id) { return takes_devices(id); });
    ++count;
    // Claims that others share, and those that take nothing, fit any number of times.
    if (!takes) count = most;
  }
  replaced_ = nullptr;
  remove(added, node);
  for (ClaimId id : without) unserve(claims_[id]);
  restore(replaced);
  return count;
}

// Claims that are gone by now stay so.
void DeviceLedger::restore(std::vector<std::pair<ClaimId, devices::Allocation>>& before) {
  for (auto& [id, answer] : before) unserve(claims_[id]);
  for (auto& [id, answer] : before) {
    Open& open = claims_[id];
    if (open.claim != nullptr && !open.served) serve(open, std::move(answer));
  }
}

std::string DeviceLedger::state_of(NodeId node) const {
  std::string text;
  auto add = [&](auto number) {
    text.append(reinterpret_cast<const char*>(&number), sizeof(number));
  };
  auto add_amounts = [&](const devices::Amounts& amounts) {
    add(amounts.size());
    for (const auto& [name, amount] : amounts) {
      text.append(name).append("=").append(amount.text()).append("\n");
    }
  };
  std::span<const ClaimId> open_here = open_on(node);
  add(open_here.size());
  for (ClaimId id : open_here) {
    const Open& open = claims_[id];
    add(open.claim);
    add(open.served);
    add(open.answer.results.size());
    for (const devices::Result& result : open.answer.results) {
      const devices::DeviceId& device = result.id;
      for (const std::string* part : {&device.driver, &device.pool, &device.device}) {
        text.append(*part).append("\n");
      }
      add_amounts(result.consumed);
    }
  }
  auto add_taken = [&](devices::DeviceIndex device) {
    if (is_free(device)) return;
    const devices::Holding* held = holdings_.find(map_.inventory().devices()[device].id);
    add(device);
    add(held == nullptr ? 0 : held->whole);
    add_amounts(held == nullptr ? devices::Amounts() : held->used);
  };
  const devices::NodeDevices& seen = map_.devices_of(node);
  for (const devices::NodeDevices::Seen& device : seen.devices()) add_taken(device.device);
  for (const auto& consumers : seen.consumers()) {
    for (const devices::NodeDevices::Consumer& consumer : consumers) add_taken(consumer.device);
  }
  return text;
}

devices::PlacedClaim DeviceLedger::placed(const Open& claim) const {
  devices::PlacedClaim placed{claim.claim, {}};
  for (NodeId node : claim.nodes) {
    const devices::NodeDevices* view = &map_.devices_of(node);
    if (std::ranges::find(placed.nodes, view) == placed.nodes.end()) placed.nodes.push_back(view);
  }
  return placed;
}

// Where all devices that suit do so alike: the first that are free.
bool DeviceLedger::serve_by_plan(Open& claim) {
  const Plan& plan = *claim.plan;
  std::vector<devices::DeviceIndex> chosen;
  auto wanted = static_cast<size_t>(plan.devices_of_claim);
  for (devices::DeviceIndex device : plan.devices) {
    if (chosen.size() == wanted) break;
    if (is_free(device)) chosen.push_back(device);
  }
  if (chosen.size() < wanted) return false;
  serve(claim, devices::plain_allocation(*claim.claim, chosen, map_.node(claim.nodes.front()),
                                         map_.inventory()));
  return true;
}

// The claims of one pod, beside what all others have. False: some claim is not served, or cannot be
// used from the node; nothing changed.
bool DeviceLedger::serve_pod(std::span<const ClaimId> ids, NodeId node) {
  std::vector<ClaimId> open;
  bool alike = true;
  for (ClaimId id : ids) {
    const Open& claim = claims_[id];
    if (!claim.served) {
      open.push_back(id);
      alike = alike && claim.plan != nullptr && claim.plan->alike && !claim.name.valid();
      continue;
    }
    const std::optional<devices::NodeTerm>& nodes = claim.answer.nodes;
    if (nodes && !devices::matches(*nodes, map_.node(node))) return false;
  }
  if (open.empty()) return true;
  if (alike) {
    if (std::ranges::all_of(open, [&](ClaimId id) { return serve_by_plan(claims_[id]); })) {
      return true;
    }
    for (ClaimId id : open) unserve(claims_[id]);
    return false;
  }
  std::vector<const devices::Claim*> asked;
  for (ClaimId id : open) asked.push_back(claims_[id].claim);
  devices::Search search(map_.inventory(), map_.devices_of(node), asked, holdings_,
                         {.budget_steps = budget_.devices});
  if (!search.next()) return false;
  std::vector<devices::Allocation> answer = search.allocations();
  for (size_t i = 0; i < open.size(); ++i) serve(claims_[open[i]], std::move(answer[i]));
  return true;
}

// The claims, and those whose devices may have to be others for them, each once.
std::vector<DeviceLedger::ClaimId> DeviceLedger::competitors(std::span<const ClaimId> of) const {
  std::vector<ClaimId> all(of.begin(), of.end());
  std::vector<bool> known(claims_.size(), false);
  for (ClaimId id : all) known[id] = true;
  bool common = false;
  auto meet = [&](NodeId node) {
    for (ClaimId id : open_on(node)) {
      if (!known[id]) all.push_back(id);
      known[id] = true;
    }
  };
  std::vector<uint32_t> seen;
  for (size_t next = 0; next < all.size(); ++next) {
    for (NodeId node : claims_[all[next]].nodes) {
      if (std::ranges::find(seen, node.value) != seen.end()) continue;
      seen.push_back(node.value);
      meet(node);
      if (common || !map_.shares(node)) continue;
      common = true;
      std::vector<uint32_t> others;
      for (const auto& [other, claims] : by_node_) others.push_back(other);
      std::ranges::sort(others);
      for (uint32_t other : others) {
        if (map_.shares(NodeId(other))) meet(NodeId(other));
      }
    }
  }
  return all;
}

devices::JointAnswer DeviceLedger::search_jointly(std::span<const devices::PlacedClaim> claims) {
  devices::JointOptions options{.budget_steps = budget_.answers,
                                .of_claim = {.budget_steps = budget_.devices}};
  return devices::JointSearch(map_.inventory(), holdings_, options).allocate(claims);
}

// False: so many devices are requested from among some that fewer are free. Claims that several
// pods share may have devices elsewhere, too.
bool DeviceLedger::may_be_served(std::span<const ClaimId> ids) const {
  std::map<const RequestDevices*, int64_t> wanted;
  for (ClaimId id : ids) {
    const Open& claim = claims_[id];
    if (claim.requests == nullptr || claim.name.valid()) continue;
    for (const RequestDevices& request : *claim.requests) wanted[&request] += request.count;
  }
  return std::ranges::all_of(wanted, [&](const auto& entry) {
    const std::vector<devices::DeviceIndex>& devices = entry.first->devices;
    int64_t sum = 0;
    for (const auto& [other, count] : wanted) {
      bool within = other == entry.first || std::ranges::includes(devices, other->devices);
      sum += within ? count : 0;
    }
    return sum <= std::ranges::count_if(devices, [&](auto device) { return is_free(device); });
  });
}

// All claims that compete get devices at the same time. False: they have those that they had.
bool DeviceLedger::serve_together(std::span<const ClaimId> first) {
  std::vector<ClaimId> all = competitors(first);
  std::vector<std::pair<ClaimId, devices::Allocation>> before;
  std::vector<devices::PlacedClaim> asked;
  std::vector<ClaimId> searched;
  for (ClaimId id : all) {
    Open& open = claims_[id];
    bool wanted = std::ranges::find(first, id) != first.end();
    // A claim that never had devices, such as one of a pod that another scheduler bound.
    if (!open.served && !wanted) continue;
    if (open.served) before.emplace_back(id, open.answer);
    unserve(open);
    asked.push_back(placed(open));
    searched.push_back(id);
  }
  devices::JointAnswer answer;
  if (may_be_served(searched)) answer = search_jointly(asked);
  if (answer.end == devices::JointEnd::Found) {
    for (size_t i = 0; i < searched.size(); ++i) {
      serve(claims_[searched[i]], std::move(answer.allocations[i]));
    }
    if (replaced_ != nullptr) std::ranges::move(before, std::back_inserter(*replaced_));
    return true;
  }
  for (auto& [id, allocation] : before) serve(claims_[id], std::move(allocation));
  return false;
}

// Pods on nodes that reach no devices of others do not compete with those on other nodes.
void DeviceLedger::settle(std::span<const PodClaims> pods) {
  constexpr uint32_t kCommon = UINT32_MAX;
  std::vector<std::pair<uint32_t, PodClaims>> groups;
  for (const PodClaims& pod : pods) {
    bool alone = !map_.shares(pod.node) && std::ranges::all_of(pod.ids, [&](ClaimId id) {
      return std::ranges::all_of(claims_[id].nodes, [&](NodeId node) { return node == pod.node; });
    });
    groups.emplace_back(alone ? pod.node.value : kCommon, pod);
  }
  std::ranges::stable_sort(groups, {}, [](const auto& group) { return group.first; });
  std::vector<PodClaims> group;
  for (size_t i = 0; i < groups.size(); ++i) {
    group.push_back(groups[i].second);
    bool last = i + 1 == groups.size() || groups[i + 1].first != groups[i].first;
    if (!last) continue;
    settle_group(group);
    group.clear();
  }
}

void DeviceLedger::settle_group(std::span<const PodClaims> pods) {
  std::vector<std::pair<ClaimId, devices::Allocation>> before;
  for (const PodClaims& pod : pods) {
    for (ClaimId id : pod.ids) {
      if (!claims_[id].served) continue;
      before.emplace_back(id, claims_[id].answer);
      unserve(claims_[id]);
    }
  }
  auto is_served = [&](const PodClaims& pod) { return serve_pod(pod.ids, pod.node); };
  if (std::ranges::all_of(pods, is_served)) return;
  for (const auto& [id, answer] : before) unserve(claims_[id]);
  std::vector<devices::PlacedClaim> asked;
  for (const auto& [id, answer] : before) asked.push_back(placed(claims_[id]));
  devices::JointAnswer answer = search_jointly(asked);
  bool found = answer.end == devices::JointEnd::Found;
  for (size_t i = 0; i < before.size(); ++i) {
    auto& [id, allocation] = before[i];
    serve(claims_[id], std::move(found ? answer.allocations[i] : allocation));
  }
}

}  // namespace trellis
