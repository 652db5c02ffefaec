#include "server/document/document_writer.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "server/text/printable.h"

namespace trellis {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

void append_control(std::string& out, char c) {
  switch (c) {
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      break;
  }
  constexpr std::string_view digits = "0123456789abcdef";
  auto byte = static_cast<unsigned char>(c);
  out += "\\u00";
  out += digits[byte >> 4];
  out += digits[byte & 15];
}

}  // namespace

void append_quoted(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    char c = text.front();
    size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20 || c == '\x7f') {
      append_control(out, c);
    } else if (length = utf8_length(text); length > 0 && misleads(text, length)) {
      out += printable(text.substr(0, length));  // the same character in JSON
    } else if (length > 0) {
      out += text.substr(0, length);
    } else {
      out += kReplacement;
      length = 1;
    }
    text.remove_prefix(length);
  }
  out += '"';
}

std::string number_text(double value) {
  constexpr double kExact = 9'007'199'254'740'992.0;
  // Whole numbers have no exponent; -0 is 0.
  if (std::trunc(value) == value && std::abs(value) <= kExact) {
    return std::to_string(static_cast<int64_t>(value));
  }
  std::array<char, 32> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  return std::string(digits.data(), end);
}

void DocumentWriter::text(std::string_view value) {
  before_value();
  scalar_text(value);
}

void DocumentWriter::integer(int64_t value) {
  before_value();
  std::array<char, 24> digits;
  auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr;
  put(std::string_view(digits.data(), static_cast<size_t>(end - digits.data())));
}

void DocumentWriter::real(double value) {
  before_value();
  put(number_text(value));
}

void DocumentWriter::boolean(bool value) {
  before_value();
  put(value ? "true" : "false");
}

void DocumentWriter::finish() {
  if (buffer_.empty() || buffer_.back() != '\n') buffer_ += '\n';
  flush();
}

void DocumentWriter::flush() {
  sink_.write(buffer_);
  buffer_.clear();
}

}  // namespace trellis
