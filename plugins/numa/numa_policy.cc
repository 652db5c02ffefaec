#include "plugins/numa/numa_policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <system_error>
#include <utility>

namespace trellis {
namespace {

struct NamedPolicy {
  std::string_view name;
  NumaPolicy policy;
  NumaScope scope;
};

constexpr std::array<NamedPolicy, 6> kPolicies = {{
    {"SingleNUMANodeContainerLevel", NumaPolicy::SingleNode, NumaScope::Container},
    {"SingleNUMANodePodLevel", NumaPolicy::SingleNode, NumaScope::Pod},
    {"BestEffortContainerLevel", NumaPolicy::BestEffort, NumaScope::Container},
    {"BestEffortPodLevel", NumaPolicy::BestEffort, NumaScope::Pod},
    {"RestrictedContainerLevel", NumaPolicy::Restricted, NumaScope::Container},
    {"RestrictedPodLevel", NumaPolicy::Restricted, NumaScope::Pod},
}};

constexpr std::array<NamedPolicy, 4> kBarePolicies = {{
    {"None", NumaPolicy::None, NumaScope::Container},
    {"BestEffort", NumaPolicy::BestEffort, NumaScope::Container},
    {"Restricted", NumaPolicy::Restricted, NumaScope::Container},
    {"SingleNumaNode", NumaPolicy::SingleNode, NumaScope::Container},
}};

constexpr std::array<std::pair<std::string_view, NumaPolicy>, 4> kPolicyValues = {{
    {"none", NumaPolicy::None},
    {"best-effort", NumaPolicy::BestEffort},
    {"restricted", NumaPolicy::Restricted},
    {"single-numa-node", NumaPolicy::SingleNode},
}};

template <class Table>
std::optional<NumaSettings> look_up(const Table& table, std::string_view name) {
  for (const NamedPolicy& known : table) {
    if (known.name == name) return NumaSettings{known.policy, known.scope};
  }
  return std::nullopt;
}

}  // namespace

std::optional<NumaSettings> known_policy(std::string_view name, NumaRules rules) {
  std::optional<NumaSettings> known = look_up(kPolicies, name);
  if (!known && rules == NumaRules::Kubelet) known = look_up(kBarePolicies, name);
  return known;
}

std::optional<NumaPolicy> policy_value(std::string_view value) {
  for (const auto& [name, policy] : kPolicyValues) {
    if (name == value) return policy;
  }
  return std::nullopt;
}

std::optional<NumaScope> scope_value(std::string_view value) {
  if (value == "container") return NumaScope::Container;
  if (value == "pod") return NumaScope::Pod;
  return std::nullopt;
}

std::optional<int32_t> most_zones_value(std::string_view value) {
  constexpr int32_t kMost = 1024;
  int64_t number = 0;
  auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (end != value.data() + value.size() || value.empty() || fault != std::errc() || number < 2) {
    return std::nullopt;
  }
  return static_cast<int32_t>(std::min<int64_t>(number, kMost));
}

NumaSettings numa_settings(const NumaAttributes& attributes, NumaRules rules) {
  NumaSettings settings;
  for (const std::string& name : attributes.policies) {
    if (std::optional<NumaSettings> known = known_policy(name, rules)) {
      settings = *known;
      break;
    }
    if (rules == NumaRules::Upstream) break;  // scheduler-plugins reads the first only
  }
  for (const auto& [name, value] : attributes.attributes) {
    if (name == kPolicyAttribute) {
      settings.policy = policy_value(value).value_or(settings.policy);
    } else if (name == kScopeAttribute) {
      settings.scope = scope_value(value).value_or(settings.scope);
    } else if (name == kMostZonesAttribute) {
      settings.most_zones = most_zones_value(value).value_or(settings.most_zones);
    }
  }
  return settings;
}

}  // namespace trellis
