#include "devices/inventory.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {
namespace {

constexpr std::string_view kNoKey = "no such key: ";
constexpr std::string_view kHint =
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with "
    "has() for optional fields";

bool names(const TaintRule& rule, const Slice& slice, const Device& device) {
  return rule.selects && (!rule.driver || *rule.driver == slice.driver) &&
         (!rule.pool || *rule.pool == slice.pool) && (!rule.device || *rule.device == device.name);
}

}  // namespace

Inventory::Inventory(std::vector<Slice> slices, std::vector<Class> classes,
                     std::vector<TaintRule> rules)
    : slices_(std::move(slices)) {
  std::sort(slices_.begin(), slices_.end(),
            [](const Slice& a, const Slice& b) { return a.name < b.name; });
  std::sort(rules.begin(), rules.end(),
            [](const TaintRule& a, const TaintRule& b) { return a.name < b.name; });
  for (uint32_t i = 0; i < slices_.size(); ++i) {
    Slice& slice = slices_[i];
    first_device_.push_back(static_cast<DeviceIndex>(devices_.size()));
    for (Device& device : slice.devices) {
      for (const TaintRule& rule : rules) {
        if (names(rule, slice, device)) device.taints.push_back(rule.taint);
      }
      devices_.push_back({i, &device, {slice.driver, slice.pool, device.name}});
    }
    of_pool_[{slice.driver, slice.pool}].push_back(i);
    if (slice.reach.form == Reach::Form::OneNode) {
      of_node_[slice.reach.node].push_back(i);
    } else {
      of_many_nodes_.push_back(i);
    }
  }
  for (Class& device_class : classes) {
    std::string name = device_class.name;
    classes_.insert_or_assign(std::move(name), std::move(device_class));
  }
}

const Class* Inventory::find_class(std::string_view name) const {
  auto found = classes_.find(name);
  return found == classes_.end() ? nullptr : &found->second;
}

std::vector<uint32_t> Inventory::slices_near(std::string_view node) const {
  std::vector<uint32_t> near = of_many_nodes_;
  auto found = of_node_.find(node);
  if (found == of_node_.end()) return near;
  size_t others = near.size();
  near.insert(near.end(), found->second.begin(), found->second.end());
  std::inplace_merge(near.begin(), near.begin() + static_cast<ptrdiff_t>(others), near.end());
  return near;
}

const std::vector<uint32_t>& Inventory::slices_of(std::string_view driver,
                                                  std::string_view pool) const {
  static const std::vector<uint32_t> none;
  auto found = of_pool_.find({std::string(driver), std::string(pool)});
  return found == of_pool_.end() ? none : found->second;
}

SelectorIndex Inventory::selector(const std::string& expression) const {
  auto [at, added] =
      selector_of_.try_emplace(expression, static_cast<SelectorIndex>(selectors_.size()));
  if (!added) return at->second;
  Selector made{cel::Expression::compile(expression, cel::Purpose::Selector), {}, {}, {}};
  if (made.expression.valid()) {
    if (!columns_) columns_.emplace(devices_);
    made.groups = columns_->groups(made.expression.reads());
    uint32_t most = 0;
    for (uint32_t group : made.groups) most = std::max(most, group + 1);
    made.states.resize(most, State::Unknown);
  }
  selectors_.push_back(std::move(made));
  return at->second;
}

const cel::Expression& Inventory::expression(SelectorIndex selector) const {
  return selectors_[selector].expression;
}

Inventory::Answer Inventory::accepts(SelectorIndex selector, DeviceIndex device) const {
  const KnownDevice& asked = devices_[device];
  if (!asked.device->defect.empty()) return {false, asked.device->defect};
  Selector& known = selectors_[selector];
  uint32_t group = known.groups[device];
  State& state = known.states[group];
  if (state == State::Unknown) {
    ++evaluations_;
    cel::Device facts = facts_of(asked);
    cel::Match match = known.expression.matches(facts);
    state = match.matches ? State::Yes : State::No;
    if (!match.error.empty()) {
      state = State::Failed;
      if (match.error.starts_with(kNoKey)) match.error += kHint;
      known.errors.emplace(group, std::move(match.error));
    }
  }
  if (state == State::Failed) return {false, known.errors.at(group)};
  return {state == State::Yes, ""};
}

}  // namespace trellis::devices
