#include "server/config/config_reader.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "plugins/registry.h"
#include "server/config/config_description.h"
#include "server/config/config_fields.h"
#include "server/config/feature_gates.h"
#include "server/config/known_names.h"
#include "server/config/label_score_rules.h"
#include "server/config/number_file.h"
#include "server/config/plugin_arguments.h"
#include "server/document/json_text.h"
#include "server/document/yaml_reader.h"
#include "server/system/whole_file.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

using ConfigReport = ConfigFields::Report;

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
  fields.take("enabled", plugin.enabled, form::Plain());
  fields.take("weight", plugin.weight, form::Plain());
  Value arguments = fields.take("arguments");
  if (arguments.absent()) return plugin;
  std::string json = json_text(arguments);
  // YAML has forms of numbers that JSON does not have.
  if (!arguments.is(ValueKind::Object)) {
    ConfigFields::complain(report, arguments, "a map");
  } else if (!nlohmann::json::accept(json)) {
    ConfigFields::complain(report, arguments, "values that JSON can hold");
  } else {
    plugin.arguments_json = std::move(json);
    auto keys = plugin_arguments(name);  // none: a planned plugin takes any arguments
    if (keys) plugin.arguments = read_plugin_arguments(arguments, report, *keys);
    if (name == "labelscore") check_label_score_rules(arguments, report);
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

// Reads the members of one object.
class Reader {
 public:
  Reader(Value value, ConfigReport& report)
      : value_(value), report_(report), fields_(value, report) {}

  void about(std::string_view /*text*/) {}

  template <class Place, class Form>
  void field(std::string_view key, Place& place, Form form, std::string_view /*comment*/) {
    fields_.take(key, place, form);
  }
  template <class Body>
  void group(std::string_view key, std::string_view /*comment*/, Body body) {
    Reader inner(fields_.take(key), report_);
    body(inner);
  }
  void actions(std::string_view key, std::vector<std::string>& actions) {
    read_actions(fields_.take(key), report_, actions);
  }
  void plugins(std::string_view key, Config& config) {
    read_plugins(fields_.take(key), report_, config.plugins);
  }
  void feature_gates(std::string_view key, Config& config, std::string_view /*comment*/) {
    fields_.take(key, config.kueue_feature_gates, form::Plain());
    warn_of_feature_gates(value_[key], config.placement_profile, report_);
  }
  void without_effect(std::string_view key, std::string_view why) {
    Value value = fields_.take(key);
    if (value.exists())
      ConfigFields::warn(report_, value, "a key without effect: " + std::string(why));
  }

 private:
  Value value_;
  ConfigReport& report_;
  ConfigFields fields_;
};

}  // namespace

void read_config_value(Value root, ConfigFields::Report& report, Config& config) {
  Reader reader(root, report);
  describe_config(reader, config);
  reader.without_effect("seed", "no decision is drawn by lot");
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

// The name of a file of numbers is relative to the folder of the configuration.
std::string path_beside(const std::string& config_file, const std::string& file) {
  return (std::filesystem::path(config_file).parent_path() / file).string();
}

NumbersByName numbers_beside(const std::string& config_file, const std::string& file,
                             const NumberForm& form, std::vector<Diagnostic>& diagnostics) {
  NumberReading read = read_numbers(path_beside(config_file, file), form);
  diagnostics.insert(diagnostics.end(), read.diagnostics.begin(), read.diagnostics.end());
  return std::move(read.numbers);
}

void read_files(const std::string& config_file, ConfigReading& reading) {
  Config& config = reading.config;
  if (!config.queues.usage.empty()) {
    config.queues.past_usage =
        numbers_beside(config_file, config.queues.usage, kUsageForm, reading.diagnostics);
  }
  NodeNumberReading of_nodes = read_node_numbers(config_file, config);
  config.node_numbers = std::move(of_nodes.numbers);
  reading.diagnostics.insert(reading.diagnostics.end(), of_nodes.diagnostics.begin(),
                             of_nodes.diagnostics.end());
}

}  // namespace

NodeNumberReading read_node_numbers(const std::string& config_file, const Config& config) {
  NodeNumberReading reading;
  for (const std::string& file : label_score_files(config)) {
    reading.numbers[file] = numbers_beside(config_file, file, kNodeNumberForm, reading.diagnostics);
  }
  return reading;
}

std::vector<std::string> node_number_paths(const std::string& config_file, const Config& config) {
  std::vector<std::string> paths;
  for (const std::string& file : label_score_files(config)) {
    paths.push_back(path_beside(config_file, file));
  }
  return paths;
}

ConfigReading read_config(const std::string& file) {
  Result<std::string> text = read_small_file(file);
  if (!text) {
    return {.diagnostics = {{.file = file, .found = text.error().message, .expected = kWanted}}};
  }
  ConfigReading reading = read_config_text(file, *text);
  read_files(file, reading);
  return reading;
}

}  // namespace trellis
