// The arguments of plugin `numa` in the configuration.
#pragma once

#include <string_view>

#include "framework/config.h"
#include "framework/resources.h"
#include "plugins/numa/numa_options.h"

namespace trellis {

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
