#include "devices/device_kinds.h"

#include <algorithm>

#include "devices/constraints.h"
#include "devices/sort_unique.h"

namespace trellis::devices {
namespace {

// Only equal values have the same. Lists are equal to nothing.
std::string value_text(const cel::Value* value, DeviceIndex device) {
  if (value == nullptr) return "-";
  switch (value->kind()) {
    case cel::Kind::Int:
      return "i" + std::to_string(value->int_value());
    case cel::Kind::Bool:
      return value->is_true() ? "t" : "f";
    case cel::Kind::String:
      return "s" + value->text();
    case cel::Kind::Semver:
      return "v" + value->semver().text();
    default:
      return "u" + std::to_string(device);
  }
}

}  // namespace

DeviceKinds::DeviceKinds(const Inventory& inventory, std::span<const Claim* const> claims)
    : inventory_(inventory) {
  for (const Claim* claim : claims) {
    PreparedClaim prepared = prepare(*claim, inventory);
    for (const PreparedRequest& request : prepared.requests) {
      for (const PreparedAlternative& alternative : request.alternatives) {
        for (SelectorIndex selector : alternative.selectors) {
          if (inventory.expression(selector).valid()) selectors_.push_back(selector);
        }
      }
    }
    for (const Constraint& constraint : claim->constraints) {
      attributes_.push_back(constraint.match_attribute.empty() ? constraint.distinct_attribute
                                                               : constraint.match_attribute);
    }
  }
  sort_unique(selectors_);
  sort_unique(attributes_);
}

std::string DeviceKinds::description(DeviceIndex index) const {
  const KnownDevice& known = inventory_.devices()[index];
  const Device& device = *known.device;
  bool one_of_its_kind =
      device.shared || !device.counters.empty() || device.reach.form != Reach::Form::None;
  if (one_of_its_kind) return "device " + std::to_string(index);
  std::string text = "slice " + std::to_string(known.slice);
  text += device.binds_to_node ? " bound " : " free ";
  for (SelectorIndex selector : selectors_) {
    Inventory::Answer answer = inventory_.accepts(selector, index);
    text += !answer.error.empty() ? 'e' : answer.accepts ? 'y' : 'n';
  }
  auto add = [&](const std::string& part) {
    text.append(" ").append(std::to_string(part.size())).append(":").append(part);
  };
  for (const std::string& name : attributes_) add(value_text(attribute_of(known, name), index));
  for (const Capacity& capacity : device.capacity) {
    add(capacity.name);
    add(capacity.value.text());
  }
  for (const Taint& taint : device.taints) {
    add(taint.key);
    add(taint.value);
    add(taint.effect);
  }
  return text;
}

uint32_t DeviceKinds::kind_of(DeviceIndex device) {
  auto [at, added] = kinds_.try_emplace(device);
  if (added) {
    auto number = static_cast<uint32_t>(numbers_.size());
    at->second = numbers_.try_emplace(description(device), number).first->second;
  }
  return at->second;
}

}  // namespace trellis::devices
