#include "server/config/config_reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "plugins/registry.h"
#include "server/config/config_fields.h"
#include "server/config/feature_gates.h"
#include "server/config/known_names.h"
#include "server/config/plugin_arguments.h"
#include "server/config/usage_file.h"
#include "server/document/json_text.h"
#include "server/document/yaml_reader.h"
#include "server/system/small_file.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

using ConfigReport = ConfigFields::Report;
using Sign = ConfigFields::Sign;

constexpr std::pair<std::string_view, Strategy> kStrategies[] = {{"binpack", Strategy::Binpack},
                                                                 {"spread", Strategy::Spread}};

void read_actions(Value value, ConfigReport& report, std::vector<std::string>& actions) {
  std::vector<std::string_view> known = known_actions();
  std::vector<std::string> names;
  for (Value item : value.items()) {
    std::string name(item.text());
    if (!item.is(ValueKind::String) || std::find(known.begin(), known.end(), name) == known.end()) {
      ConfigFields::complain(report, item, "the name of an action", nearest_word(name, known));
    } else if (std::find(names.begin(), names.end(), name) != names.end()) {
      ConfigFields::complain(report, item, "each action once");
    } else {
      names.push_back(std::move(name));
    }
  }
  if (value.is(ValueKind::Array)) {
    actions = std::move(names);
  } else if (!value.absent()) {
    ConfigFields::complain(report, value, "a list of actions");
  }
}

PluginConfig read_plugin(std::string_view name, Value value, ConfigReport& report) {
  PluginConfig plugin;
  ConfigFields fields(value, report);
  fields.take("enabled", plugin.enabled);
  fields.take("weight", plugin.weight);
  Value arguments = fields.take("arguments");
  if (arguments.absent()) return plugin;
  std::string json = json_text(arguments);
  // YAML knows forms of numbers that JSON does not.
  if (!arguments.is(ValueKind::Object)) {
    ConfigFields::complain(report, arguments, "a map");
  } else if (!nlohmann::json::accept(json)) {
    ConfigFields::complain(report, arguments, "values that JSON can hold");
  } else {
    plugin.arguments_json = std::move(json);
    auto keys = plugin_arguments(name);  // a planned plugin takes any
    if (keys) plugin.arguments = read_plugin_arguments(arguments, report, *keys);
  }
  return plugin;
}

void read_plugins(Value value, ConfigReport& report, std::map<std::string, PluginConfig>& plugins) {
  ConfigFields fields(value, report);
  for (std::string_view name : known_plugins()) {
    Value plugin = fields.take(name);
    if (!plugin.exists()) continue;
    plugins.insert_or_assign(std::string(name), read_plugin(name, plugin, report));
  }
}

void read_placement_strategy(Value value, ConfigReport& report, PlacementStrategy& strategy) {
  ConfigFields fields(value, report);
  fields.take("gpu", strategy.gpu, kStrategies);
  fields.take("cpu", strategy.cpu, kStrategies);
  fields.take("domain", strategy.domain, kStrategies);
}

void read_queues(Value value, ConfigReport& report, QueuesConfig& queues) {
  ConfigFields fields(value, report);
  fields.take("fullHierarchy", queues.full_hierarchy);
  fields.take("allowConsolidatingReclaim", queues.allow_consolidating_reclaim);
  fields.take("kValue", queues.k_value);
  fields.take_duration("defaultPreemptMinRuntime", queues.default_preempt_min_runtime_us,
                       Sign::NotNegative);
  fields.take_duration("defaultReclaimMinRuntime", queues.default_reclaim_min_runtime_us,
                       Sign::NotNegative);
  fields.take("reclaimResolveMethod", queues.reclaim_resolve_method,
              {{"lca", ReclaimResolve::Lca}, {"queue", ReclaimResolve::Queue}});
  fields.take("usage", queues.usage);
}

void read_limits(Value value, ConfigReport& report, Limits& limits) {
  ConfigFields fields(value, report);
  fields.take("consolidationVictims", limits.consolidation_victims, -1);
  fields.take("searchBudget", limits.search_budget, 1);
  fields.take_duration("stalenessGracePeriod", limits.staleness_grace_period_us, Sign::Any);
  fields.take_duration("reserveAfter", limits.reserve_after_us, Sign::NotNegative);
}

// Where the place has another unit than the key, or a default that is none of its values.
void take_number(ConfigFields& fields, std::string_view key, TimeUs unit, int64_t& place) {
  int64_t read = -1;
  fields.take(key, read, 0);
  if (read >= 0) place = std::min<int64_t>(read, INT32_MAX) * unit;
}

void read_requeuing(Value value, ConfigReport& report, RequeuingStrategy& settings) {
  ConfigFields fields(value, report);
  fields.take("timestamp", settings.timestamp,
              {{"Eviction", RequeueTime::Eviction}, {"Creation", RequeueTime::Creation}});
  take_number(fields, "backoffBaseSeconds", kSecondUs, settings.backoff_base_us);
  take_number(fields, "backoffMaxSeconds", kSecondUs, settings.backoff_max_us);
  take_number(fields, "backoffLimitCount", 1, settings.backoff_limit);
}

void read_wait_for_pods_ready(Value value, ConfigReport& report, Config& config) {
  WaitForPodsReady& settings = config.wait_for_pods_ready;
  ConfigFields fields(value, report);
  fields.take_duration("timeout", settings.timeout_us, Sign::NotNegative);
  fields.take_duration("recoveryTimeout", settings.recovery_timeout_us, Sign::NotNegative);
  fields.take("blockAdmission", settings.block_admission);
  read_requeuing(fields.take("requeuingStrategy"), report, config.requeuing);
}

}  // namespace

void read_config_value(Value root, ConfigFields::Report& report, Config& config) {
  ConfigFields fields(root, report);
  read_actions(fields.take("actions"), report, config.actions);
  read_plugins(fields.take("plugins"), report, config.plugins);
  read_placement_strategy(fields.take("placementStrategy"), report, config.placement_strategy);
  fields.take("placementProfile", config.placement_profile,
              {{"trellis", PlacementProfile::Trellis}, {"kueue", PlacementProfile::Kueue}});
  {
    Value value = fields.take("kueue");
    ConfigFields kueue(value, report);
    kueue.take("featureGates", config.kueue_feature_gates);
    warn_of_feature_gates(value["featureGates"], config.placement_profile, report);
    read_wait_for_pods_ready(kueue.take("waitForPodsReady"), report, config);
  }
  read_queues(fields.take("queues"), report, config.queues);
  read_limits(fields.take("limits"), report, config.limits);
  fields.take("schedulerNames", config.scheduler_names);
  fields.take_duration("period", config.period_us, Sign::Positive);
  if (Value seed = fields.take("seed"); seed.exists()) {
    ConfigFields::warn(report, seed, "a key without effect: no decision is drawn by lot");
  }
}

bool ConfigReading::has_errors() const {
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity == Severity::Error;
  });
}

ConfigReading read_config_text(std::string_view file, std::string_view text) {
  ConfigReading reading;
  ConfigReport report{std::string(file), {}};
  ReadSink sink{.file = file, .diagnostics = &report.diagnostics};
  int64_t documents = 0;
  sink.document = [&](const Document& document, const ListHead& /*head*/) {
    if (++documents == 1) return read_config_value(document.root(), report, reading.config);
    ConfigFields::complain(report, document.root(), "one document");
  };
  read_yaml(text, sink);
  std::stable_sort(report.diagnostics.begin(), report.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.line < b.line; });
  reading.diagnostics = std::move(report.diagnostics);
  return reading;
}

namespace {

constexpr const char* kWanted = "a configuration file";

// The file of past usage that the configuration names, seen from where the configuration is.
void read_past_usage(const std::string& config_file, ConfigReading& reading) {
  QueuesConfig& queues = reading.config.queues;
  if (queues.usage.empty()) return;
  std::filesystem::path path = std::filesystem::path(config_file).parent_path() / queues.usage;
  UsageReading usage = read_usage(path.string());
  queues.past_usage = std::move(usage.usage);
  reading.diagnostics.insert(reading.diagnostics.end(), usage.diagnostics.begin(),
                             usage.diagnostics.end());
}

}  // namespace

ConfigReading read_config(const std::string& file) {
  Result<std::string> text = read_small_file(file);
  if (!text) {
    return {.diagnostics = {{.file = file, .found = text.error().message, .expected = kWanted}}};
  }
  ConfigReading reading = read_config_text(file, *text);
  read_past_usage(file, reading);
  return reading;
}

}  // namespace trellis
