// The rules by which the plugin judges: the arguments of `numa` in the configuration.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "framework/ids.h"
#include "framework/resources.h"

namespace trellis {

enum class NumaRules : uint8_t {
  Kubelet,   // as the kubelet does
  Upstream,  // compat: as scheduler-plugins does, its quirks included
};

enum class NumaAlignment : uint8_t {
  Greedy,    // container by container, lowest zone first: what the kubelet does
  Possible,  // any assignment, for nodes whose agent follows the hint
};

enum class NumaStrategy : uint8_t {
  LeastAllocated,
  MostAllocated,
  BalancedAllocation,
  LeastNumaNodes,
};

struct NumaOptions {
  NumaRules rules = NumaRules::Kubelet;
  NumaAlignment alignment = NumaAlignment::Greedy;
  NumaStrategy strategy = NumaStrategy::LeastAllocated;
  struct Weight {
    ResourceId resource;
    int64_t weight = 1;
  };
  bool discard_reserved = false;  // a node takes one pod a cycle
  int64_t resync_period = 0;      // seconds; above 0 fingerprints decide what a report includes
  std::vector<Weight> weights;    // resources that are not listed weigh 1

  int64_t weight_of(ResourceId resource) const {
    for (const Weight& one : weights) {
      if (one.resource == resource && one.weight >= 1) return one.weight;
    }
    return 1;
  }
};

// The arguments of plugin `numa` in the configuration.

// The names of the upstream plugin, and two of our own: `compat`, `alignment`.
inline constexpr std::string_view kNumaArguments[] = {
    "scoringStrategy.type=LeastAllocated|MostAllocated|BalancedAllocation|LeastNUMANodes",
    "scoringStrategy.resources[].name",
    "scoringStrategy.resources[].weight=number",
    "discardReservedNodes=bool",
    "cacheResyncPeriodSeconds=number",
    "compat=none|scheduler-plugins",
    "alignment=greedy|possible",
};

NumaOptions numa_options(const PluginConfig& config, const ResourceTable& resources);

}  // namespace trellis
