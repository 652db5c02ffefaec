#include "server/config/usage_file.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "server/document/yaml_reader.h"
#include "server/system/whole_file.h"

namespace trellis {
namespace {

std::optional<double> parse_hours(Value value) {
  if (!value.is(ValueKind::Number)) return std::nullopt;
  std::string_view text = value.text();
  double hours = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), hours);
  bool whole = failure == std::errc() && end == text.data() + text.size();
  return whole && std::isfinite(hours) && hours >= 0 ? std::optional(hours) : std::nullopt;
}

}  // namespace

void read_usage_value(Value root, ConfigFields::Report& report, PastUsage& usage) {
  if (root.absent()) return;
  if (!root.is(ValueKind::Object)) {
    return ConfigFields::complain(report, root, "a map of queues to GPU-hours");
  }
  for (Value::Member member : root.members()) {
    if (std::optional<double> hours = parse_hours(member.value)) {
      usage.insert_or_assign(std::string(member.key), *hours);
    } else {
      ConfigFields::complain(report, member.value, "GPU-hours, a number of at least 0");
    }
  }
}

UsageReading read_usage_text(std::string_view file, std::string_view text) {
  UsageReading reading;
  ConfigFields::Report report{std::string(file), {}};
  ReadSink sink{.file = file, .diagnostics = &report.diagnostics};
  int64_t documents = 0;
  sink.document = [&](const Document& document, const ListHead& /*head*/) {
    if (++documents == 1) return read_usage_value(document.root(), report, reading.usage);
    ConfigFields::complain(report, document.root(), "one document");
  };
  read_yaml(text, sink);
  reading.diagnostics = std::move(report.diagnostics);
  return reading;
}

UsageReading read_usage(const std::string& file) {
  Result<std::string> text = read_small_file(file);
  if (text) return read_usage_text(file, *text);
  return {.diagnostics = {{.file = file,
                           .found = text.error().message,
                           .expected = "a file of past usage (queues.usage)"}}};
}

}  // namespace trellis
