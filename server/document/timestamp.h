// RFC 3339 timestamps, as Kubernetes writes them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "framework/time.h"

namespace trellis {

// "2026-01-01T12:00:00Z", with any fraction of a second (cut to microseconds) and any offset.
// nullopt when the text is no timestamp or names a day that does not exist.
std::optional<TimeUs> parse_timestamp(std::string_view text);

// In UTC; with microseconds only when they are not 0. Years outside 0..9999 are clamped.
std::string format_timestamp(TimeUs time);
// The form of Kubernetes' MicroTime: always with microseconds.
std::string micro_time(TimeUs time);

}  // namespace trellis
