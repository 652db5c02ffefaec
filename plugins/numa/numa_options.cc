#include "plugins/numa/numa_options.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace trellis {
namespace {

// 0 where the text is no number; sums of products with the result stay far from overflow.
int64_t number_of(const std::string& text) {
  constexpr int64_t kMost = 1'000'000;
  int64_t value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp<int64_t>(value, 0, kMost);
}

NumaStrategy strategy_of(const std::string& word) {
  if (word == "MostAllocated") return NumaStrategy::MostAllocated;
  if (word == "BalancedAllocation") return NumaStrategy::BalancedAllocation;
  if (word == "LeastNUMANodes") return NumaStrategy::LeastNumaNodes;
  return NumaStrategy::LeastAllocated;
}

}  // namespace

NumaOptions numa_options(const PluginConfig& config, const ResourceTable& resources) {
  NumaOptions options;
  bool upstream = config.argument("compat") == "scheduler-plugins";
  bool possible = config.argument("alignment") == "possible";
  options.rules = upstream ? NumaRules::Upstream : NumaRules::Kubelet;
  options.alignment = possible ? NumaAlignment::Possible : NumaAlignment::Greedy;
  options.strategy = strategy_of(config.argument("scoringStrategy.type"));
  options.discard_reserved = config.argument("discardReservedNodes") == "true";
  options.resync_period = number_of(config.argument("cacheResyncPeriodSeconds"));
  for (size_t i = 0;; ++i) {
    std::string at = "scoringStrategy.resources[" + std::to_string(i) + "]";
    std::string name = config.argument(at + ".name");
    if (name.empty()) break;
    ResourceId resource = resources.find(name);  // a resource that no node has is never requested
    if (resource.valid()) {
      options.weights.push_back({resource, number_of(config.argument(at + ".weight"))});
    }
  }
  return options;
}

}  // namespace trellis
