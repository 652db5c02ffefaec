#include "server/config/config_printer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "server/config/known_names.h"
#include "server/document/document_writer.h"
#include "server/document/duration.h"
#include "server/document/yaml_writer.h"

namespace trellis {
namespace {

constexpr size_t kCommentColumn = 44;

std::string scalar(std::string_view text) {
  if (is_plain_yaml(text)) return std::string(text);
  std::string quoted;
  append_quoted(quoted, text);
  return quoted;
}

std::string list(const std::vector<std::string>& names) {
  std::string text = "[";
  for (size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + scalar(names[i]);
  return text + "]";
}

std::string_view word(bool value) { return value ? "true" : "false"; }

class Printer {
 public:
  std::string take() { return std::move(text_); }

  void note(std::string_view comment) { text_.append("# ").append(comment).append("\n"); }
  void gap() { text_ += "\n"; }

  void line(std::string_view content, std::string_view comment = "") {
    text_ += content;
    if (!comment.empty()) {
      size_t width = content.size();
      text_.append(width < kCommentColumn ? kCommentColumn - width : 2, ' ');
      text_.append("# ").append(comment);
    }
    text_ += "\n";
  }

  void member(std::string_view key, std::string_view value, std::string_view comment = "") {
    line("  " + std::string(key) + ": " + std::string(value), comment);
  }

 private:
  std::string text_;
};

void print_plugin(Printer& out, std::string_view name, const PluginConfig& plugin) {
  std::string value =
      "{enabled: " + std::string(word(plugin.enabled)) + ", weight: " + number_text(plugin.weight);
  if (plugin.arguments_json != "{}") value += ", arguments: " + plugin.arguments_json;
  out.member(name, value + "}");
}

void print_plugins(Printer& out, const Config& config) {
  out.note("By name. weight multiplies a plugin's score of a node; arguments are its own.");
  out.line("plugins:");
  std::vector<std::string_view> built = built_plugins();
  std::string others;
  for (std::string_view name : known_plugins()) {
    bool is_built = std::find(built.begin(), built.end(), name) != built.end();
    if (is_built || config.plugins.contains(std::string(name))) {
      print_plugin(out, name, config.plugin(std::string(name)));
    } else {
      others += (others.empty() ? "" : ", ") + std::string(name);
    }
  }
  if (!others.empty()) out.line("  # accepted, and without effect yet: " + others);
}

std::string requeuing_text(const RequeuingStrategy& requeuing) {
  std::string timestamp = requeuing.timestamp == RequeueTime::Creation ? "Creation" : "Eviction";
  std::string limit =
      requeuing.backoff_limit < 0 ? "null" : std::to_string(requeuing.backoff_limit);
  return "{timestamp: " + timestamp +
         ", backoffBaseSeconds: " + std::to_string(requeuing.backoff_base_us / kSecondUs) +
         ", backoffMaxSeconds: " + std::to_string(requeuing.backoff_max_us / kSecondUs) +
         ", backoffLimitCount: " + limit + "}";
}

void print_kueue(Printer& out, const Config& config) {
  out.line("kueue:");
  std::string gates;
  for (const auto& [name, on] : config.kueue_feature_gates) {
    gates += (gates.empty() ? "" : ", ") + scalar(name) + ": " + std::string(word(on));
  }
  out.member("featureGates", "{" + gates + "}", "Kueue's names; only in profile kueue");
  const WaitForPodsReady& wait = config.wait_for_pods_ready;
  out.member("waitForPodsReady",
             "{timeout: " + format_duration(wait.timeout_us) +
                 ", recoveryTimeout: " + format_duration(wait.recovery_timeout_us) +
                 ", blockAdmission: " + std::string(word(wait.block_admission)) +
                 ", requeuingStrategy: " + requeuing_text(config.requeuing) + "}",
             "0s: off");
}

void print_queues(Printer& out, const QueuesConfig& queues) {
  bool by_queue = queues.reclaim_resolve_method == ReclaimResolve::Queue;
  out.line("queues:");
  out.member("fullHierarchy", word(queues.full_hierarchy), "false: queues share on one level");
  out.member("allowConsolidatingReclaim", word(queues.allow_consolidating_reclaim),
             "victims that find a new place do not count");
  out.member("kValue", number_text(queues.k_value), "how much past usage weighs");
  out.member("defaultPreemptMinRuntime", format_duration(queues.default_preempt_min_runtime_us));
  out.member("defaultReclaimMinRuntime", format_duration(queues.default_reclaim_min_runtime_us));
  out.member("reclaimResolveMethod", by_queue ? "queue" : "lca", "lca | queue");
  out.member("usage", scalar(queues.usage), "a YAML file, queue: GPU-hours");
}

void print_limits(Printer& out, const Limits& limits) {
  out.line("limits:");
  out.member("consolidationVictims", std::to_string(limits.consolidation_victims), "-1: no limit");
  out.member("searchBudget", std::to_string(limits.search_budget), "work of one gang's search");
  out.member("stalenessGracePeriod", format_duration(limits.staleness_grace_period_us),
             "negative: never");
  out.member("reserveAfter", format_duration(limits.reserve_after_us), "0s: off");
}

}  // namespace

std::string print_config(const Config& config) {
  Printer out;
  out.note("Only what differs from the defaults need be written.");
  out.gap();
  out.note("Those that run, in this order.");
  out.line("actions: " + list(config.actions));
  out.gap();
  print_plugins(out, config);
  out.gap();
  out.note("binpack | spread");
  out.line("placementStrategy:");
  out.member("gpu", word(config.placement_strategy.gpu));
  out.member("cpu", word(config.placement_strategy.cpu));
  out.member("domain", word(config.placement_strategy.domain));
  bool kueue = config.placement_profile == PlacementProfile::Kueue;
  out.line(std::string("placementProfile: ") + (kueue ? "kueue" : "trellis"), "trellis | kueue");
  print_kueue(out, config);
  print_queues(out, config.queues);
  print_limits(out, config.limits);
  out.line("schedulerNames: " + list(config.scheduler_names), "empty: every pod");
  out.line("period: " + format_duration(config.period_us), "from one cycle to the next");
  return out.take();
}

}  // namespace trellis
