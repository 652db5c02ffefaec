#include "server/log/log_line.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "server/document/document_writer.h"
#include "server/document/timestamp.h"

namespace trellis {
namespace {

constexpr size_t kLevelWidth = 6;

// Whether the text needs no quotes to be one word.
bool is_word(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 ||
           std::string_view("-._/:@+,%*()[]").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

void append_text(std::string& out, LogFormat format, std::string_view text) {
  if (format == LogFormat::Text && is_word(text)) {
    out += text;
  } else {
    append_quoted(out, text);
  }
}

void append_value(std::string& out, LogFormat format, const LogField& field) {
  if (const auto* text = std::get_if<std::string_view>(&field.value)) {
    append_text(out, format, *text);
  } else if (const auto* number = std::get_if<int64_t>(&field.value)) {
    out += std::to_string(*number);
  } else {
    double real = std::get<double>(field.value);
    out += std::isfinite(real) ? number_text(real) : "null";
  }
}

// Appends the event as one line, whatever its text is.
void append_event(std::string& out, std::string_view event) {
  std::string quoted;
  append_quoted(quoted, event);
  out += std::string_view(quoted).substr(1, quoted.size() - 2);
}

}  // namespace

std::string_view to_string(LogLevel level) {
  switch (level) {
    case LogLevel::Debug:
      return "debug";
    case LogLevel::Info:
      return "info";
    case LogLevel::Warn:
      return "warn";
    default:
      return "error";
  }
}

std::string log_time(LogTime time) {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  int64_t ms = duration_cast<milliseconds>(time.time_since_epoch()).count();
  std::string text = format_timestamp(ms / 1000 * kSecondUs);
  std::string fraction = std::to_string(1000 + ms % 1000);
  return text.substr(0, text.find('Z')) + "." + fraction.substr(1) + "Z";
}

std::string log_words(LogFormat format, std::string_view event, std::span<const LogField> fields) {
  std::string out;
  if (format == LogFormat::JsonLines) {
    append_quoted(out, event);
    for (const LogField& field : fields) {
      out += ',';
      append_quoted(out, field.key);
      out += ':';
      append_value(out, format, field);
    }
    return out;
  }
  append_event(out, event);
  std::string_view separator = "  ";
  for (const LogField& field : fields) {
    out += separator;
    out += field.key;
    out += '=';
    append_value(out, format, field);
    separator = " ";
  }
  return out;
}

std::string log_line(LogFormat format, LogTime time, LogLevel level, std::string_view words) {
  std::string out;
  std::string_view name = to_string(level);
  if (format == LogFormat::JsonLines) {
    out.append("{\"time\":\"").append(log_time(time)).append("\",\"level\":\"").append(name);
    out.append("\",\"event\":").append(words).append("}\n");
    return out;
  }
  out.append(log_time(time)).append(" ").append(name);
  out.append(kLevelWidth - name.size(), ' ').append(words).append("\n");
  return out;
}

}  // namespace trellis
