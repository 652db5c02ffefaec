#include "server/simulate/moment.h"

#include <charconv>
#include <cmath>

#include "server/document/duration.h"
#include "server/document/timestamp.h"

namespace trellis {

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

std::optional<Moment> parse_moment(std::string_view text) {
  if (std::optional<TimeUs> span = parse_span(text)) return Moment{*span, true};
  if (std::optional<TimeUs> time = parse_timestamp(text)) return Moment{*time, false};
  return std::nullopt;
}

}  // namespace trellis
