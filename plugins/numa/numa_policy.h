// The policy and scope of a node's Topology Manager, read from its NodeResourceTopology.
//
// Attributes override the deprecated topologyPolicies, field by field; of attributes with one name
// the last holds. The proposal's bare names (None, BestEffort, Restricted, SingleNumaNode) are read
// too, but not by the Upstream rules. An unknown name or value is skipped, and another name or
// value decides.
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
