#include "plugins/devices/class_devices.h"

#include <algorithm>
#include <utility>

#include "devices/constraints.h"
#include "devices/pools.h"
#include "devices/requests.h"
#include "devices/sort_unique.h"
#include "plugins/devices/own_resources.h"

namespace trellis {
namespace {

void append(std::string& text, std::string_view part) {
  text.append(std::to_string(part.size())).append(":").append(part);
}

void append(std::string& text, const devices::Amounts& amounts) {
  for (const auto& [name, amount] : amounts) {
    append(text, name);
    append(text, amount.text());
  }
}

std::string text_of(const cel::Value* value) {
  if (value == nullptr) return "-";
  switch (value->kind()) {
    case cel::Kind::Int:
      return "i" + std::to_string(value->int_value());
    case cel::Kind::Bool:
      return value->is_true() ? "t" : "f";
    case cel::Kind::Semver:
      return "v" + value->semver().text();
    case cel::Kind::List:
      return "l";
    default:
      return "s" + value->text();
  }
}

}  // namespace

ClassDevices::ClassDevices(const DeviceMap& map, const PodDevices& needs)
    : map_(map), needs_(needs) {
  const devices::Inventory& inventory = map.inventory();
  for (const DeviceNeed& need : needs.needs) {
    names_ = names_ || need.name.valid();
    fails_.push_back(!prepare(*need.claim));
  }
  plans_.resize(needs.needs.size());
  if (needs.extended) {
    std::vector<devices::Class> classes;
    for (const auto& [name, one] : inventory.classes()) classes.push_back(one);
    classes_ = devices::classes_by_age(std::move(classes));
    for (const auto& [resource, name] : devices::classes_of(*needs.extended, classes_)) {
      devices::Claim claim;
      claim.requests.push_back({.name = resource, .alternatives = {{.device_class = name}}});
      if (!prepare(claim)) extended_fails_ = true;
    }
  }
  devices::sort_unique(selectors_);
  devices::sort_unique(attributes_);
  for (uint32_t slice : inventory.slices_of_many_nodes()) {
    for (uint32_t i = 0; i < inventory.slices()[slice].devices.size() && !shares_; ++i) {
      devices::DeviceIndex device = inventory.first_device(slice) + i;
      // A device that some request does not refuse; which request asks for it does not matter.
      shares_ = selectors_.empty() ||
                std::ranges::any_of(selectors_, [&](devices::SelectorIndex selector) {
                  devices::Inventory::Answer answer = inventory.accepts(selector, device);
                  return answer.accepts || !answer.error.empty();
                });
    }
  }
}

bool ClassDevices::prepare(const devices::Claim& claim) {
  devices::PreparedClaim prepared = devices::prepare(claim, map_.inventory());
  requests_ = requests_ || !claim.requests.empty();
  for (const devices::PreparedRequest& request : prepared.requests) {
    for (const devices::PreparedAlternative& alternative : request.alternatives) {
      if (alternative.selectors.empty() && alternative.device_class != nullptr) {
        shares_ = shares_ || map_.any_shared();
      }
      for (devices::SelectorIndex selector : alternative.selectors) {
        if (map_.inventory().expression(selector).valid()) selectors_.push_back(selector);
      }
    }
  }
  for (const devices::Constraint& constraint : claim.constraints) {
    attributes_.push_back(constraint.match_attribute.empty() ? constraint.distinct_attribute
                                                             : constraint.match_attribute);
  }
  return prepared.error.empty();
}

DeviceLedger::Asked ClassDevices::asked(size_t need, NodeId node) {
  std::vector<std::unique_ptr<NodeNeed>>& nodes = plans_[need];
  if (nodes.size() <= node.value) nodes.resize(node.value + 1);
  std::unique_ptr<NodeNeed>& known = nodes[node.value];
  const DeviceNeed& of = needs_.needs[need];
  if (!known) {
    known = std::make_unique<NodeNeed>();
    known->plan = devices::alike_devices(*of.claim, map_.node(node), map_.inventory());
    if (!known->plan.alike) known->requests = requests_on(*of.claim, node);
  }
  return {of.claim.get(), of.name, &known->plan, &known->requests};
}

// Of requests for a number of devices of one kind. Where an expression fails, or a device is
// shared, nothing is known.
std::vector<DeviceLedger::RequestDevices> ClassDevices::requests_on(const devices::Claim& claim,
                                                                    NodeId node) const {
  const devices::Inventory& inventory = map_.inventory();
  devices::PreparedClaim prepared = devices::prepare(claim, inventory);
  std::vector<DeviceLedger::RequestDevices> requests;
  if (!prepared.error.empty()) return requests;
  for (const devices::PreparedRequest& request : prepared.requests) {
    const devices::PreparedAlternative& one = request.alternatives.front();
    bool counts = request.alternatives.size() == 1 && !one.all && one.count > 0 &&
                  !one.alternative->admin_access && one.device_class != nullptr;
    if (!counts) continue;
    // More are as impossible, and their sums overflow.
    DeviceLedger::RequestDevices made{std::min(one.count, devices::kMostDevices + 1), {}};
    bool known = true;
    for (const devices::SeenPool& pool : map_.devices_of(node).pools()) {
      if (!pool.usable()) continue;
      for (uint32_t slice : pool.slices) {
        for (uint32_t i = 0; i < inventory.slices()[slice].devices.size(); ++i) {
          devices::DeviceIndex device = inventory.first_device(slice) + i;
          bool accepted = std::ranges::all_of(one.selectors, [&](devices::SelectorIndex selector) {
            if (!inventory.expression(selector).valid()) return true;
            devices::Inventory::Answer answer = inventory.accepts(selector, device);
            return answer.accepts || !answer.error.empty();
          });
          known = known && !(accepted && inventory.slices()[slice].devices[i].shared);
          if (accepted) made.devices.push_back(device);
        }
      }
    }
    std::ranges::sort(made.devices);
    if (known) requests.push_back(std::move(made));
  }
  return requests;
}

const devices::Claim* ClassDevices::extended(const Node& node, const Vocabulary& vocabulary) {
  std::map<std::string, int64_t> own = own_resources(node, *needs_.extended, vocabulary);
  auto [known, fresh] = extended_.try_emplace(std::move(own));
  devices::ExtendedClaim& made = known->second;
  if (fresh) made = devices::extended_claim(*needs_.extended, known->first, classes_);
  return made.refused ? nullptr : &made.claim;
}

std::string ClassDevices::likeness(NodeId node, const DeviceLedger* ledger) const {
  const devices::Inventory& inventory = map_.inventory();
  std::string text;
  for (const devices::SeenPool& pool : map_.devices_of(node).pools()) {
    text += pool.usable() ? "+" : pool.complete ? "!" : "?";
    append(text, pool.driver);
    for (size_t i = 0; i < pool.counters.size(); ++i) append(text, pool.counters[i].text());
    for (uint32_t index : pool.all_slices) {
      const devices::Slice& slice = inventory.slices()[index];
      if (slice.reach.form != devices::Reach::Form::OneNode) return "";
      text += slice.counter_sets.empty() ? "/" : "#";
      for (uint32_t i = 0; i < slice.devices.size(); ++i) {
        const devices::Device& device = slice.devices[i];
        devices::DeviceIndex at = inventory.first_device(index) + i;
        text += device.shared ? "S" : device.binds_to_node ? "B" : "D";
        for (devices::SelectorIndex selector : selectors_) {
          devices::Inventory::Answer answer = inventory.accepts(selector, at);
          text += !answer.error.empty() ? 'e' : answer.accepts ? 'y' : 'n';
        }
        for (const std::string& name : attributes_) {
          append(text, text_of(devices::attribute_of(inventory.devices()[at], name)));
        }
        for (const devices::Taint& taint : device.taints) {
          append(text, taint.key);
          append(text, taint.value);
          append(text, taint.effect);
        }
        for (const devices::Consumption& use : pool.consumption_of(device)) {
          text.append(std::to_string(use.counter)).append("=").append(use.amount.text());
        }
        for (const devices::Capacity& capacity : device.capacity) {
          append(text, capacity.name);
          append(text, capacity.value.text());
        }
        if (ledger == nullptr || ledger->is_free(at)) continue;
        const devices::Holding* held = ledger->holdings().find(inventory.devices()[at].id);
        if (held == nullptr) continue;
        text += "h" + std::to_string(held->whole) + "," + std::to_string(held->shares);
        append(text, held->used);
      }
    }
  }
  return text;
}

}  // namespace trellis
