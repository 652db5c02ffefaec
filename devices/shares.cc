#include "devices/shares.h"

#include <algorithm>
#include <limits>

namespace trellis::devices {
namespace {

using Nanos = Quantity::Nanos;

constexpr Nanos kThousandth = Quantity::kOne / 1000;

const Quantity* amount_of(const Amounts& amounts, std::string_view name) {
  for (const auto& [known, amount] : amounts) {
    if (known == name) return &amount;
  }
  return nullptr;
}

Nanos rounded_up(Nanos amount, Nanos unit) {
  Nanos rest = amount % unit;
  return (amount / unit) + (rest > 0 ? 1 : 0);
}

bool fits_in_64_bits(Nanos number) { return number <= std::numeric_limits<int64_t>::max(); }

struct Rounded {
  // nullopt: no amount that the policy allows is large enough.
  std::optional<Quantity> amount;
  std::string error;
};

Rounded step_up(const SharePolicy& policy, Quantity amount) {
  auto thousandths = [](Quantity quantity) { return quantity.nanos() % kThousandth == 0; };
  bool fine = thousandths(policy.min) && thousandths(*policy.step) &&
              (!policy.max || thousandths(*policy.max));
  Nanos unit = fine ? kThousandth : Nanos{Quantity::kOne};
  Nanos request = rounded_up(amount.nanos(), unit);
  Nanos min = rounded_up(policy.min.nanos(), unit);
  Nanos step = rounded_up(policy.step->nanos(), unit);
  std::string error = "capacity request cannot be represented in the device's range arithmetic";
  if (!fits_in_64_bits(request) || !fits_in_64_bits(min) || !fits_in_64_bits(step)) {
    return {std::nullopt, std::move(error)};
  }
  if (step <= 0) return {amount, ""};
  Nanos stepped = min + rounded_up(request - min, step) * step;
  if (!fits_in_64_bits(stepped)) return {std::nullopt, std::move(error)};
  return {Quantity::of_nanos(stepped * unit), ""};
}

Rounded allowed(const SharePolicy& policy, Quantity amount) {
  if (!policy.values.empty()) {
    for (Quantity value : policy.values) {
      if (value >= amount) return {value, ""};
    }
    return {};
  }
  if (!policy.has_range) return {amount, ""};
  amount = std::max(amount, policy.min);
  if (policy.step) {
    Rounded stepped = step_up(policy, amount);
    if (!stepped.amount) return stepped;
    amount = *stepped.amount;
  }
  if (policy.max && amount > *policy.max) return {};
  return {amount, ""};
}

}  // namespace

Share share_of(const Device& device, const Amounts& requested) {
  for (const auto& [name, amount] : requested) {
    bool known = std::any_of(device.capacity.begin(), device.capacity.end(),
                             [&](const Capacity& capacity) { return capacity.name == name; });
    if (!known) return {};
  }
  Amounts share;
  for (const Capacity& capacity : device.capacity) {
    const Quantity* request = amount_of(requested, capacity.name);
    if (request == nullptr) {
      bool has_default = capacity.policy && capacity.policy->otherwise;
      share.emplace_back(capacity.name, has_default ? *capacity.policy->otherwise : capacity.value);
      continue;
    }
    std::string place = "capacity \"" + capacity.name + "\": ";
    if (request->nanos() < 0) return {std::nullopt, place + "capacity value is negative"};
    Rounded rounded = capacity.policy ? allowed(*capacity.policy, *request) : Rounded{*request, ""};
    if (!rounded.error.empty()) return {std::nullopt, place + rounded.error};
    if (!rounded.amount) return {};
    share.emplace_back(capacity.name, *rounded.amount);
  }
  return {std::move(share), ""};
}

bool fits(const Device& device, const Amounts& share, const Amounts& used) {
  for (const Capacity& capacity : device.capacity) {
    const Quantity* wanted = amount_of(share, capacity.name);
    if (wanted == nullptr) continue;
    const Quantity* taken = amount_of(used, capacity.name);
    Quantity sum = taken == nullptr ? *wanted : *wanted + *taken;
    if (sum > capacity.value) return false;
  }
  return true;
}

void add(Amounts& to, const Amounts& more) {
  for (const auto& [name, amount] : more) {
    auto known =
        std::find_if(to.begin(), to.end(), [&](auto& entry) { return entry.first == name; });
    if (known == to.end()) {
      to.emplace_back(name, amount);
    } else {
      known->second = known->second + amount;
    }
  }
}

void subtract(Amounts& from, const Amounts& less) {
  for (const auto& [name, amount] : less) {
    for (auto& [known, left] : from) {
      if (known == name) left = left - amount;
    }
  }
}

}  // namespace trellis::devices
