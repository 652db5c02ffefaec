#include "plugins/labelscore/labelscore.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include "plugins/scores/score_magnitudes.h"

namespace trellis {
namespace {

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole ? std::optional(number) : std::nullopt;
}

}  // namespace

void LabelScore::open(const View& view, Hooks& hooks) {
  view_ = &view;
  PluginConfig config = view.config->plugin("labelscore");
  rules_.clear();
  double weights = 0;
  for (size_t i = 0;; ++i) {
    std::string at = "scores[" + std::to_string(i) + "].";
    auto first = config.arguments.lower_bound(at);
    if (first == config.arguments.end() || !first->first.starts_with(at)) break;
    rules_.push_back(rule(config, at));
    weights += rules_.back().weight;
  }
  if (weights <= 0) return;
  for (Rule& each : rules_) each.weight /= weights;
  hooks.node_scorers.push_back({this, name(), config.weight});
}

LabelScore::Rule LabelScore::rule(const PluginConfig& config, const std::string& at) const {
  auto text = [&](const char* key) { return config.argument(at + key); };
  auto id = [&](const char* key) {
    std::string name = text(key);
    return name.empty() ? StrId() : view_->vocabulary->strings.find(name);
  };
  Rule rule{.label = id("label"),
            .annotation = id("annotation"),
            .value = text("value"),
            .worst = number_in(text("worst")).value_or(0),
            .best = number_in(text("best")).value_or(0),
            .weight = number_in(text("weight")).value_or(1)};
  const auto& files = view_->config->node_numbers;
  auto file = files.find(text("file"));
  if (file != files.end()) rule.file = &file->second;
  return rule;
}

double LabelScore::score_of(const Rule& rule, const Node& node) const {
  std::optional<double> number;
  if (rule.label.valid()) {
    StrId label = find_label(node.labels, rule.label);
    if (!label.valid()) return 0;
    std::string_view text = view_->vocabulary->strings.view(label);
    if (rule.best == rule.worst) return text == rule.value ? kAvailabilityScore : 0;
    number = number_in(text);
  } else if (rule.annotation.valid()) {
    auto found = std::ranges::find(node.numbers, rule.annotation, &NodeNumber::key);
    if (found != node.numbers.end()) number = found->value;
  } else if (rule.file != nullptr) {
    auto found = rule.file->find(node.name);
    if (found != rule.file->end()) number = found->second;
  }
  if (!number) return 0;
  double part = (*number - rule.worst) / (rule.best - rule.worst);
  return kAvailabilityScore * std::clamp(part, 0.0, 1.0);
}

void LabelScore::score(PodClassId /*pod_class*/, std::span<const NodeId> nodes, double weight,
                       std::span<double> out) const {
  for (size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = (*view_->nodes)[nodes[i]];
    double score = 0;
    for (const Rule& rule : rules_) score += rule.weight * score_of(rule, node);
    out[i] += weight * score;
  }
}

}  // namespace trellis
