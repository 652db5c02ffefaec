// The format of a line of the log; pure functions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "server/log/log.h"

namespace trellis {

std::string_view to_string(LogLevel level);

// `2026-01-01T00:00:00.123Z`
std::string log_time(LogTime time);

// The part of a line after time and level: the event and its fields.
std::string log_words(LogFormat format, std::string_view event, std::span<const LogField> fields);

// The whole line, with its newline.
std::string log_line(LogFormat format, LogTime time, LogLevel level, std::string_view words);

}  // namespace trellis
