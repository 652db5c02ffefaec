#include "server/document/duration.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr TimeUs kMinuteUs = 60 * kSecondUs;
constexpr TimeUs kHourUs = 60 * kMinuteUs;
constexpr TimeUs kDayUs = 24 * kHourUs;
constexpr TimeUs kMaxDuration = 100'000 * kDayUs;  // some 270 years, far from overflow

struct DurationUnit {
  std::string_view name;
  TimeUs length;
};

// Longer names first where one begins another.
constexpr std::array<DurationUnit, 6> kUnits = {
    {{"us", 1}, {"ms", 1000}, {"s", kSecondUs}, {"m", kMinuteUs}, {"h", kHourUs}, {"d", kDayUs}}};

const DurationUnit* take_unit(std::string_view& text) {
  for (const DurationUnit& unit : kUnits) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return &unit;
  }
  return nullptr;
}

// The digits in front of `text`; nullopt when there is none or they are far too many.
std::optional<int64_t> take_digits(std::string_view& text) {
  int64_t number = 0;
  size_t count = 0;
  while (count < text.size() && is_digit(text[count])) {
    if (++count > 15) return std::nullopt;
    number = number * 10 + (text[count - 1] - '0');
  }
  text.remove_prefix(count);
  return count == 0 ? std::nullopt : std::optional(number);
}

// One number with its unit, taken off the front.
std::optional<TimeUs> take_part(std::string_view& text) {
  std::optional<int64_t> whole = take_digits(text);
  if (!whole) return std::nullopt;
  int64_t fraction = 0;
  int64_t scale = 1;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    size_t before = text.size();
    std::optional<int64_t> digits = take_digits(text);
    if (!digits || before - text.size() > 6) return std::nullopt;
    fraction = *digits;
    for (size_t i = text.size(); i < before; ++i) scale *= 10;
  }
  const DurationUnit* unit = take_unit(text);
  if (unit == nullptr || *whole > kMaxDuration / unit->length) return std::nullopt;
  return *whole * unit->length + fraction * unit->length / scale;
}

void append_part(std::string& text, TimeUs count, std::string_view unit) {
  if (count != 0) text.append(std::to_string(count)).append(unit);
}

}  // namespace

std::optional<TimeUs> parse_duration(std::string_view text) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  TimeUs total = 0;
  while (!text.empty()) {
    std::optional<TimeUs> part = take_part(text);
    if (!part || total + *part > kMaxDuration) return std::nullopt;
    total += *part;
  }
  return negative ? -total : total;
}

std::string format_duration(TimeUs duration) {
  TimeUs rest = std::abs(duration);
  std::string text = duration < 0 ? "-" : "";
  if (rest % kSecondUs == 0 && rest < 2 * kMinuteUs) {
    return text + std::to_string(rest / kSecondUs) + "s";
  }
  append_part(text, rest / kHourUs, "h");
  append_part(text, rest % kHourUs / kMinuteUs, "m");
  append_part(text, rest % kMinuteUs / kSecondUs, "s");
  append_part(text, rest % kSecondUs / 1000, "ms");
  append_part(text, rest % 1000, "us");
  return text;
}

}  // namespace trellis
