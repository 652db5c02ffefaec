#include "server/config/number_file.h"

#include <charconv>
#include <cmath>
#include <optional>
#include <system_error>
#include <utility>

#include "server/document/yaml_reader.h"
#include "server/system/whole_file.h"

namespace trellis {
namespace {

std::optional<double> parse_number(Value value, const NumberForm& form) {
  if (!value.is(ValueKind::Number)) return std::nullopt;
  std::string_view text = value.text();
  double number = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  bool whole = failure == std::errc() && end == text.data() + text.size();
  bool allowed = whole && std::isfinite(number) && (form.may_be_negative || number >= 0);
  return allowed ? std::optional(number) : std::nullopt;
}

}  // namespace

void read_numbers_value(Value root, ConfigFields::Report& report, const NumberForm& form,
                        NumbersByName& numbers) {
  if (root.absent()) return;
  if (!root.is(ValueKind::Object)) {
    return ConfigFields::complain(report, root, std::string(form.map));
  }
  for (Value::Member member : root.members()) {
    if (std::optional<double> number = parse_number(member.value, form)) {
      numbers.insert_or_assign(std::string(member.key), *number);
    } else {
      ConfigFields::complain(report, member.value, std::string(form.number));
    }
  }
}

NumberReading read_numbers_text(std::string_view file, std::string_view text,
                                const NumberForm& form) {
  NumberReading reading;
  ConfigFields::Report report{std::string(file), {}};
  ReadSink sink{.file = file, .diagnostics = &report.diagnostics};
  int64_t documents = 0;
  sink.document = [&](const Document& document, const ListHead& /*head*/) {
    if (++documents > 1) return ConfigFields::complain(report, document.root(), "one document");
    read_numbers_value(document.root(), report, form, reading.numbers);
  };
  read_yaml(text, sink);
  reading.diagnostics = std::move(report.diagnostics);
  return reading;
}

NumberReading read_numbers(const std::string& file, const NumberForm& form) {
  Result<std::string> text = read_small_file(file);
  if (text) return read_numbers_text(file, *text, form);
  return {.diagnostics = {
              {.file = file, .found = text.error().message, .expected = std::string(form.file)}}};
}

}  // namespace trellis
