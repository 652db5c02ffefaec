#include "server/config/config_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "server/config/known_names.h"
#include "server/document/duration.h"

namespace trellis {
namespace {

using Json = nlohmann::ordered_json;

Json plugins_json(const Config& config) {
  Json plugins = Json::object();
  std::vector<std::string_view> built = built_plugins();
  for (std::string_view known : known_plugins()) {
    std::string name(known);
    bool is_built = std::find(built.begin(), built.end(), known) != built.end();
    if (!is_built && !config.plugins.contains(name)) continue;
    PluginConfig plugin = config.plugin(name);
    plugins[name] = {{"enabled", plugin.enabled}, {"weight", plugin.weight}};
    if (plugin.arguments_json != "{}") {
      plugins[name]["arguments"] = Json::parse(plugin.arguments_json, nullptr, false);
    }
  }
  return plugins;
}

Json queues_json(const QueuesConfig& queues) {
  bool by_queue = queues.reclaim_resolve_method == ReclaimResolve::Queue;
  return {{"fullHierarchy", queues.full_hierarchy},
          {"allowConsolidatingReclaim", queues.allow_consolidating_reclaim},
          {"kValue", queues.k_value},
          {"defaultPreemptMinRuntime", format_duration(queues.default_preempt_min_runtime_us)},
          {"defaultReclaimMinRuntime", format_duration(queues.default_reclaim_min_runtime_us)},
          {"reclaimResolveMethod", by_queue ? "queue" : "lca"},
          {"usage", queues.usage}};
}

Json limits_json(const Limits& limits) {
  return {{"consolidationVictims", limits.consolidation_victims},
          {"searchBudget", limits.search_budget},
          {"stalenessGracePeriod", format_duration(limits.staleness_grace_period_us)},
          {"reserveAfter", format_duration(limits.reserve_after_us)}};
}

Json requeuing_json(const RequeuingStrategy& requeuing) {
  bool creation = requeuing.timestamp == RequeueTime::Creation;
  bool limited = requeuing.backoff_limit >= 0;
  return {{"timestamp", creation ? "Creation" : "Eviction"},
          {"backoffBaseSeconds", requeuing.backoff_base_us / kSecondUs},
          {"backoffMaxSeconds", requeuing.backoff_max_us / kSecondUs},
          {"backoffLimitCount", limited ? Json(requeuing.backoff_limit) : Json()}};
}

Json wait_json(const Config& config) {
  const WaitForPodsReady& wait = config.wait_for_pods_ready;
  return {{"timeout", format_duration(wait.timeout_us)},
          {"recoveryTimeout", format_duration(wait.recovery_timeout_us)},
          {"blockAdmission", wait.block_admission},
          {"requeuingStrategy", requeuing_json(config.requeuing)}};
}

Json as_json(const Config& config) {
  bool kueue = config.placement_profile == PlacementProfile::Kueue;
  Json gates = Json::object();
  for (const auto& [name, on] : config.kueue_feature_gates) gates[name] = on;
  return {{"actions", config.actions},
          {"plugins", plugins_json(config)},
          {"placementStrategy",
           {{"gpu", word(config.placement_strategy.gpu)},
            {"cpu", word(config.placement_strategy.cpu)},
            {"domain", word(config.placement_strategy.domain)}}},
          {"placementProfile", kueue ? "kueue" : "trellis"},
          {"kueue", {{"featureGates", std::move(gates)}, {"waitForPodsReady", wait_json(config)}}},
          {"queues", queues_json(config.queues)},
          {"limits", limits_json(config.limits)},
          {"schedulerNames", config.scheduler_names},
          {"period", format_duration(config.period_us)}};
}

// Names of a command line are bytes, UTF-8 or not.
std::string text_of(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string config_json(const Config& config) { return text_of(as_json(config)); }

std::string usage_json(const Config& config) { return text_of(Json(config.queues.past_usage)); }

std::vector<std::string> config_differences(const Config& config) {
  Json ours = as_json(config);
  Json defaults = as_json(Config());
  std::vector<std::string> lines;
  for (const auto& [key, value] : ours.items()) {
    if (!value.is_object()) {
      if (value != defaults[key]) lines.push_back(key + ": " + text_of(value));
      continue;
    }
    for (const auto& [inner, member] : value.items()) {
      auto found = defaults[key].find(inner);
      if (found != defaults[key].end() && *found == member) continue;
      lines.push_back(
          std::string(key).append(".").append(inner).append(": ").append(text_of(member)));
    }
  }
  return lines;
}

}  // namespace trellis
