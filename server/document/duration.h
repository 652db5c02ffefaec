// Durations as they are written in configuration: 60s, 1m30s, 500ms, 0s, -1s.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/time.h"

namespace trellis {

// As Kubernetes reads them: a sequence of decimal numbers, each with a unit (ns, us, ms, s, m, h),
// cut to microseconds; days (d) may come first. A sign may precede all of it; "0" needs no unit.
// nullopt when the text is no duration or does not fit.
std::optional<TimeUs> parse_duration(std::string_view text);

// Seconds ("90", "0.5") or such a duration ("1h30m"), not negative.
std::optional<TimeUs> parse_span(std::string_view text);

// The shortest of the usual forms that reads back as the same duration.
std::string format_duration(TimeUs duration);

}  // namespace trellis
