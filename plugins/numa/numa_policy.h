// What a node's Topology Manager does: its policy and scope, from what the object says of it.
//
// Attributes win over the deprecated topologyPolicies, field by field, the last over those before
// it. The proposal's bare names
// (None, BestEffort, Restricted, SingleNumaNode) are read too, but for the Upstream rules; what is
// not known is left out, and another one decides.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "framework/numa.h"
#include "plugins/numa/numa_options.h"

namespace trellis {

struct NumaSettings {
  NumaPolicy policy = NumaPolicy::None;
  NumaScope scope = NumaScope::Container;
  int32_t most_zones = 8;
  auto operator<=>(const NumaSettings&) const = default;
};

NumaSettings numa_settings(const NumaAttributes& attributes, NumaRules rules);

inline constexpr std::string_view kPolicyAttribute = "topologyManagerPolicy";
inline constexpr std::string_view kScopeAttribute = "topologyManagerScope";
inline constexpr std::string_view kMostZonesAttribute = "topologyManagerMaxNUMANodes";

// One name of topologyPolicies; nullopt: unknown.
std::optional<NumaSettings> known_policy(std::string_view name, NumaRules rules);
// The attributes' values; nullopt: unknown.
std::optional<NumaPolicy> policy_value(std::string_view value);
std::optional<NumaScope> scope_value(std::string_view value);
std::optional<int32_t> most_zones_value(std::string_view value);  // 2..1024; more is 1024

}  // namespace trellis
