#include "server/text/printable.h"

#include <cstdint>

namespace trellis {
namespace {

uint32_t code_point(std::string_view text, size_t length) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (length == 1) return byte(0);
  uint32_t code = byte(0) & (0xFFU >> (length + 1));
  for (size_t i = 1; i < length; ++i) code = code << 6 | (byte(i) & 0x3FU);
  return code;
}

void append_hex(std::string& out, uint32_t value, int digits) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (int i = digits - 1; i >= 0; --i) out += kHex[value >> (4 * i) & 15];
}

// The length of the front part that may be printed as it is.
size_t harmless_length(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    auto byte = static_cast<unsigned char>(text[at]);
    if (byte < 0x20 || byte == 0x7F) return at;
    if (byte < 0x80) {
      ++at;
      continue;
    }
    size_t length = utf8_length(text.substr(at));
    if (length == 0 || misleads(text.substr(at), length)) return at;
    at += length;
  }
  return at;
}

// Appends the visible form of the character at the front of `text`, and removes that character.
void append_visible(std::string& out, std::string_view& text) {
  size_t length = utf8_length(text);
  if (length > 1) {
    out += "\\u";
    append_hex(out, code_point(text, length), 4);
    text.remove_prefix(length);
    return;
  }
  out += "\\x";
  append_hex(out, static_cast<unsigned char>(text.front()), 2);
  text.remove_prefix(1);
}

}  // namespace

size_t utf8_length(std::string_view text) {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  unsigned char lead = byte(0);
  size_t length = lead < 0x80 ? 1 : lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (lead > 0xF4 || length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  if (length < 3) return length;
  bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  bool surrogate = lead == 0xED && byte(1) >= 0xA0;
  bool too_large = lead == 0xF4 && byte(1) >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

bool misleads(std::string_view text, size_t length) {
  if (length != 2 && length != 3) return false;
  uint32_t code = code_point(text, length);
  bool control = code >= 0x80 && code < 0xA0;
  bool mark = code == 0x061C || code == 0x200E || code == 0x200F;
  bool separator = code == 0x2028 || code == 0x2029;
  return control || mark || separator || (code >= 0x202A && code <= 0x202E) ||
         (code >= 0x2066 && code <= 0x2069);
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t harmless = harmless_length(text);
    out += text.substr(0, harmless);
    text.remove_prefix(harmless);
    if (!text.empty()) append_visible(out, text);
  }
  return out;
}

std::string printable_lines(std::string_view text, Colours colours) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    size_t ours = harmless_length(text);
    if (ours == 0 && text.front() == '\n') ours = 1;
    if (ours == 0 && colours == Colours::On) ours = style_length(text);
    out += text.substr(0, ours);
    text.remove_prefix(ours);
    if (ours == 0) append_visible(out, text);
  }
  return out;
}

}  // namespace trellis
