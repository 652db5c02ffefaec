#include "server/document/duration.h"

#include <absl/time/time.h>

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace trellis {
namespace {

constexpr TimeUs kMinuteUs = 60 * kSecondUs;
constexpr TimeUs kOneHourUs = 60 * kMinuteUs;
constexpr int64_t kHoursADay = 24;
constexpr absl::Duration kMaxDuration = absl::Hours(100'000 * kHoursADay);  // about 270 years

void append_part(std::string& text, TimeUs count, std::string_view unit) {
  if (count != 0) text.append(std::to_string(count)).append(unit);
}

}  // namespace

std::optional<TimeUs> parse_duration(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text.empty() || text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  absl::Duration total;
  // Days come first, and absl does not support them.
  size_t end = text.find_first_not_of("0123456789.");
  if (end != std::string_view::npos && text[end] == 'd') {
    if (!absl::ParseDuration(std::string(text.substr(0, end)) + "h", &total)) return std::nullopt;
    total *= kHoursADay;
    text.remove_prefix(end + 1);
    if (text.starts_with('-') || text.starts_with('+')) return std::nullopt;
  }
  absl::Duration rest;
  if (!text.empty() && !absl::ParseDuration(std::string(text), &rest)) return std::nullopt;
  total += rest;
  if (total < absl::ZeroDuration() || total > kMaxDuration) return std::nullopt;
  TimeUs duration = absl::ToInt64Microseconds(total);
  return negative ? -duration : duration;
}

std::optional<TimeUs> parse_span(std::string_view text) {
  constexpr double kMostSpan = 1e10;  // seconds: more than 300 years
  double value = 0;
  auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure == std::errc() && end == text.data() + text.size()) {
    if (!(value >= 0 && value <= kMostSpan)) return std::nullopt;
    return static_cast<TimeUs>(std::llround(value * static_cast<double>(kSecondUs)));
  }
  std::optional<TimeUs> span = parse_duration(text);
  return span && *span >= 0 ? span : std::nullopt;
}

std::string format_duration(TimeUs duration) {
  TimeUs rest = std::abs(duration);
  std::string text = duration < 0 ? "-" : "";
  if (rest % kSecondUs == 0 && rest < 2 * kMinuteUs) {
    return text + std::to_string(rest / kSecondUs) + "s";
  }
  append_part(text, rest / kOneHourUs, "h");
  append_part(text, rest % kOneHourUs / kMinuteUs, "m");
  append_part(text, rest % kMinuteUs / kSecondUs, "s");
  append_part(text, rest % kSecondUs / 1000, "ms");
  append_part(text, rest % 1000, "us");
  return text;
}

}  // namespace trellis
