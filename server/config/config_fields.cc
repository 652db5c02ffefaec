#include "server/config/config_fields.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "server/document/duration.h"
#include "server/text/nearest_word.h"

namespace trellis {
namespace {

template <class Number>
std::optional<Number> parse_number(Value value) {
  if (!value.is(ValueKind::Number)) return std::nullopt;
  std::string_view text = value.text();
  if (text.starts_with('+')) text.remove_prefix(1);
  Number number{};
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string one_of(std::span<const std::string_view> words) {
  std::string text;
  for (size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += i + 1 == words.size() ? " or " : ", ";
    text += words[i];
  }
  return text;
}

}  // namespace

ConfigFields::ConfigFields(Value object, Report& report) : object_(object), report_(report) {
  if (!object.absent() && !object.is(ValueKind::Object)) complain(report, object, "a map");
}

ConfigFields::~ConfigFields() {
  for (Value::Member member : object_.members()) {
    if (std::find(known_.begin(), known_.end(), member.key) != known_.end()) continue;
    std::sort(known_.begin(), known_.end());
    Diagnostic diagnostic{.file = report_.file,
                          .line = member.at_key.line(),
                          .path = member.value.path(),
                          .found = "unknown key " + in_quotes(member.key),
                          .nearest = nearest_word(member.key, known_)};
    if (diagnostic.nearest.empty()) diagnostic.expected = known_.empty() ? "none" : one_of(known_);
    report_.diagnostics.push_back(std::move(diagnostic));
  }
}

void ConfigFields::complain(Report& report, Value value, std::string expected,
                            std::string nearest) {
  report.diagnostics.push_back({.file = report.file,
                                .line = value.line(),
                                .path = value.path(),
                                .found = describe(value),
                                .expected = std::move(expected),
                                .nearest = std::move(nearest)});
}

void ConfigFields::warn(Report& report, Value value, std::string found, std::string nearest) {
  report.diagnostics.push_back({.severity = Severity::Warning,
                                .file = report.file,
                                .line = value.line(),
                                .path = value.path(),
                                .found = std::move(found),
                                .nearest = std::move(nearest)});
}

Value ConfigFields::take(std::string_view key) {
  known_.push_back(key);
  return object_[key];
}

void ConfigFields::take(std::string_view key, bool& place, form::Plain /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  if (!value.is(ValueKind::Bool)) return complain(report_, value, "true or false");
  place = value.boolean();
}

void ConfigFields::take(std::string_view key, int64_t& place, form::AtLeast form) {
  Value value = take(key);
  if (value.absent()) return;
  std::optional<int64_t> number = parse_number<int64_t>(value);
  if (!number || *number < form.least) {
    return complain(report_, value, "a whole number of at least " + std::to_string(form.least));
  }
  place = *number;
}

// Reads into a variable of its own, since `place` may have another unit than the key, or hold a
// value that the key cannot have.
void ConfigFields::take(std::string_view key, int64_t& place, form::Counted form) {
  int64_t read = -1;
  take(key, read, form::AtLeast{0});
  if (read >= 0) place = std::min<int64_t>(read, INT32_MAX) * form.unit;
}

void ConfigFields::take(std::string_view key, int64_t& place, form::Limit /*form*/) {
  take(key, place, form::Counted());
}

void ConfigFields::take(std::string_view key, double& place, form::Plain /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  std::optional<double> number = parse_number<double>(value);
  if (!number || !std::isfinite(*number) || *number < 0) {
    return complain(report_, value, "a number of at least 0");
  }
  place = *number;
}

void ConfigFields::take(std::string_view key, std::string& place, form::Plain /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  if (!value.is(ValueKind::String)) return complain(report_, value, "a text");
  place = value.text();
}

void ConfigFields::take(std::string_view key, std::vector<std::string>& place,
                        form::Plain /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  if (!value.is(ValueKind::Array)) return complain(report_, value, "a list of names");
  std::vector<std::string> names;
  for (Value item : value.items()) {
    if (!item.is(ValueKind::String)) return complain(report_, item, "a name");
    names.emplace_back(item.text());
  }
  place = std::move(names);
}

void ConfigFields::take(std::string_view key, std::map<std::string, bool>& place,
                        form::Plain /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  if (!value.is(ValueKind::Object))
    return complain(report_, value, "a map of names to true or false");
  for (Value::Member member : value.members()) {
    if (member.value.is(ValueKind::Bool)) {
      place.insert_or_assign(std::string(member.key), member.value.boolean());
    } else {
      complain(report_, member.value, "true or false");
    }
  }
}

void ConfigFields::take(std::string_view key, TimeUs& place, form::Duration form) {
  form::Sign sign = form.sign;
  Value value = take(key);
  if (value.absent()) return;
  std::optional<TimeUs> duration = parse_duration(value.text());
  bool fits = duration && (sign == form::Sign::Any || *duration > 0 ||
                           (sign == form::Sign::NotNegative && *duration == 0));
  if (fits) {
    place = *duration;
    return;
  }
  std::string expected = sign == form::Sign::Positive      ? "a duration above 0, such as "
                         : sign == form::Sign::NotNegative ? "a duration, not negative, such as "
                                                           : "a duration, such as ";
  complain(report_, value, expected + "60s, 1m30s or 500ms");
}

void ConfigFields::take(std::string_view key, DailyWindow& place, form::Daily /*form*/) {
  Value value = take(key);
  if (value.absent()) return;
  std::optional<DailyWindow> window = parse_daily_window(value.text());
  if (!window || !value.is(ValueKind::String)) {
    return complain(report_, value,
                    "a part of the day (UTC), such as \"22:00-06:00\" or \"Sat,Sun 22:00-06:00\"");
  }
  place = *window;
}

size_t ConfigFields::take_choice(std::string_view key, std::span<const std::string_view> words) {
  Value value = take(key);
  if (value.absent()) return words.size();
  auto chosen = std::find(words.begin(), words.end(), value.text());
  if (value.is(ValueKind::String) && chosen != words.end()) {
    return static_cast<size_t>(chosen - words.begin());
  }
  complain(report_, value, one_of(words), nearest_word(value.text(), words));
  return words.size();
}

}  // namespace trellis
