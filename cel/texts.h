// Numbers and times as texts, as Go prints and reads them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "cel/value.h"

namespace trellis::cel {

std::string double_text(double number);
// nullopt: no number, or too large; what is too small is 0.
std::optional<double> double_of(const std::string& text);
// "5400s", "1.5s".
std::string duration_text(int64_t ns);
// "2026-01-02T03:04:05Z".
std::string timestamp_text(const Value& time);
// "1h30m", "-1.5s"; nullopt: no duration.
std::optional<int64_t> duration_of(std::string_view text);
// RFC 3339. An error when it is none.
Value timestamp_of(std::string_view text);

}  // namespace trellis::cel
