#include "server/config/label_score_rules.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace trellis {
namespace {

void check_rule(Value rule, ConfigFields::Report& report) {
  constexpr std::array<std::string_view, 3> kSources = {"label", "annotation", "file"};
  auto has = [&](std::string_view key) { return rule[key].exists(); };
  if (std::ranges::count_if(kSources, has) != 1) {
    return ConfigFields::complain(report, rule, "exactly one of label, annotation and file");
  }
  if (rule["weight"].text().starts_with('-')) {
    ConfigFields::complain(report, rule["weight"], "a number of at least 0");
  }
  bool scaled = has("worst") && has("best") && !has("value");
  bool equal = has("value") && has("label") && !has("worst") && !has("best");
  if (!scaled && !equal) {
    return ConfigFields::complain(
        report, rule, has("label") ? "either worst and best, or value" : "worst and best");
  }
  if (scaled && rule["worst"].text() == rule["best"].text()) {
    ConfigFields::complain(report, rule["best"], "another number than worst");
  }
}

}  // namespace

void check_label_score_rules(Value arguments, ConfigFields::Report& report) {
  for (Value rule : arguments["scores"].items()) {
    if (rule.is(ValueKind::Object)) check_rule(rule, report);
  }
}

std::vector<std::string> label_score_files(const Config& config) {
  std::vector<std::string> files;
  for (const auto& [path, text] : config.plugin("labelscore").arguments) {
    if (path.ends_with("].file")) files.push_back(text);
  }
  std::ranges::sort(files);
  files.erase(std::ranges::unique(files).begin(), files.end());
  return files;
}

}  // namespace trellis
