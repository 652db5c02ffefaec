#include "devices/pod_counter.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {
namespace {

// Does the request treat all devices that it accepts alike?
bool is_plain(const Claim& claim) {
  if (claim.requests.size() != 1 || !claim.constraints.empty()) return false;
  const Request& request = claim.requests[0];
  if (request.alternatives.size() != 1) return false;
  const Alternative& alternative = request.alternatives[0];
  return alternative.mode == Mode::Count && !alternative.admin_access &&
         !alternative.derives_attributes && alternative.capacity.empty() && alternative.count > 0 &&
         alternative.count <= kMostDevices;
}

bool is_tolerated(const Device& device, const Alternative& alternative) {
  return std::all_of(device.taints.begin(), device.taints.end(), [&](const Taint& taint) {
    bool binds = taint.effect == "NoSchedule" || taint.effect == "NoExecute";
    return !binds || tolerates(alternative.tolerations, taint);
  });
}

enum class Accepted : uint8_t { No, Yes, Unclear };

Accepted accepts(const Inventory& inventory, const PreparedAlternative& alternative,
                 DeviceIndex device) {
  for (SelectorIndex selector : alternative.selectors) {
    if (!inventory.expression(selector).valid()) return Accepted::Unclear;
    Inventory::Answer answer = inventory.accepts(selector, device);
    if (!answer.error.empty()) return Accepted::Unclear;
    if (!answer.accepts) return Accepted::No;
  }
  return Accepted::Yes;
}

}  // namespace

PodCounter::Plan PodCounter::make_plan(const NodeView& node) const {
  Plan plan;
  if (claims_.size() != 1 || !is_plain(*claims_[0])) return plan;
  PreparedClaim claim = prepare(*claims_[0], inventory_);
  if (!claim.error.empty()) return plan;
  const PreparedAlternative& alternative = claim.requests[0].alternatives[0];
  plan.devices_of_pod = alternative.count;
  for (const SeenPool& pool : pools_seen_from(node, inventory_)) {
    // Of an invalid pool the search must tell.
    if (pool.invalid) return plan;
    if (!pool.complete) continue;
    for (uint32_t index : pool.slices) {
      const Slice& slice = inventory_.slices()[index];
      if (!slice.counter_sets.empty()) continue;
      bool per_device = slice.reach.form == Reach::Form::PerDevice;
      for (uint32_t i = 0; i < slice.devices.size(); ++i) {
        const Device& device = slice.devices[i];
        Accepted accepted = accepts(inventory_, alternative, inventory_.first_device(index) + i);
        if (accepted == Accepted::Unclear) return plan;
        if (accepted == Accepted::No || (per_device && !reaches(device.reach, node))) continue;
        if (device.shared || !device.counters.empty()) return plan;
        if (!is_tolerated(device, *alternative.alternative)) continue;
        plan.devices.push_back(inventory_.first_device(index) + i);
      }
    }
  }
  plan.alike = true;
  return plan;
}

const PodCounter::Plan& PodCounter::plan_for(const NodeView& node) {
  auto found = plans_.find(node.name);
  if (found == plans_.end()) found = plans_.emplace(node.name, make_plan(node)).first;
  return found->second;
}

PodCount PodCounter::count(const NodeView& node, Holdings& holdings, int64_t most) {
  const Plan& plan = plan_for(node);
  if (!plan.alike) return count_by_search(node, holdings, most);
  auto free = static_cast<int64_t>(plan.devices.size());
  if (!holdings.all().empty()) {
    for (DeviceIndex device : plan.devices) {
      const Holding* holding = holdings.find(inventory_.devices()[device].id);
      if (holding != nullptr && holding->whole > 0) --free;
    }
  }
  return {std::min(free / plan.devices_of_pod, most), true, ""};
}

PodCount PodCounter::count_by_search(const NodeView& node, Holdings& holdings, int64_t most) const {
  PodCount count;
  std::vector<PlacedClaim> placed;
  while (count.pods < most) {
    for (const Claim* claim : claims_) placed.push_back({claim, {&node}});
    JointAnswer answer = JointSearch(inventory_, holdings).allocate(placed);
    if (answer.end != JointEnd::Found) {
      count.exact = answer.end == JointEnd::None;
      if (count.pods == 0) count.error = std::move(answer.error);
      break;
    }
    ++count.pods;
    // Claims without devices fit any number of times.
    bool nothing = std::all_of(
        answer.allocations.begin(), answer.allocations.end(), [](const Allocation& allocation) {
          return allocation.results.empty() ||
                 std::all_of(allocation.results.begin(), allocation.results.end(),
                             [](const Result& result) { return result.admin_access; });
        });
    if (nothing) count.pods = most;
  }
  return count;
}

}  // namespace trellis::devices
