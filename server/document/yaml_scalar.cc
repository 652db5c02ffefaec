#include "server/document/yaml_scalar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <system_error>

#include "framework/ascii.h"

namespace trellis {
namespace {

template <size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

bool is_null(std::string_view text) {
  static constexpr std::array<std::string_view, 5> kWords = {"", "~", "null", "Null", "NULL"};
  return is_one_of(text, kWords);
}

bool is_true(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kWords = {
      "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"};
  return is_one_of(text, kWords);
}

bool is_false(std::string_view text) {
  static constexpr std::array<std::string_view, 11> kWords = {
      "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"};
  return is_one_of(text, kWords);
}

std::string with_sign(bool negative, std::string digits) {
  return negative && digits != "0" ? "-" + digits : digits;
}

// 0x1F, 0b101, 0o17, 017; "" when the text has none of these forms.
std::string integer_with_base(bool negative, std::string_view text) {
  if (text.size() < 2 || text[0] != '0') return "";
  int base = 8;
  size_t prefix = 2;
  switch (text[1]) {
    case 'x':
    case 'X':
      base = 16;
      break;
    case 'b':
    case 'B':
      base = 2;
      break;
    case 'o':
    case 'O':
      break;
    default:
      prefix = 1;
  }
  text.remove_prefix(prefix);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return "";
  return with_sign(negative, std::to_string(value));
}

size_t count_digits(std::string_view text) {
  return static_cast<size_t>(std::find_if_not(text.begin(), text.end(), is_digit) - text.begin());
}

// Digits, a point, digits, an exponent. Any part may be missing, but not all digits.
std::string decimal(bool negative, std::string_view text) {
  size_t whole = count_digits(text);
  std::string_view integer = text.substr(0, whole);
  text.remove_prefix(whole);
  std::string_view fraction;
  if (!text.empty() && text[0] == '.') {
    text.remove_prefix(1);
    size_t digits = count_digits(text);
    fraction = text.substr(0, digits);
    text.remove_prefix(digits);
  }
  if (integer.empty() && fraction.empty()) return "";
  if (!text.empty()) {
    if (text[0] != 'e' && text[0] != 'E') return "";
    size_t sign = text.size() > 1 && (text[1] == '+' || text[1] == '-') ? 2 : 1;
    std::string_view digits = text.substr(sign);
    if (digits.empty() || count_digits(digits) != digits.size()) return "";
  }
  while (integer.size() > 1 && integer[0] == '0') integer.remove_prefix(1);
  std::string number = integer.empty() ? "0" : std::string(integer);
  if (!fraction.empty()) number += "." + std::string(fraction);
  number += text;
  return with_sign(negative, std::move(number));
}

std::string as_number(std::string_view text) {
  if (!is_digit(text[0]) && text[0] != '+' && text[0] != '-' && text[0] != '.') return "";
  std::string plain(text);
  plain.erase(std::remove(plain.begin(), plain.end(), '_'), plain.end());
  std::string_view digits = plain;
  bool negative = false;
  if (!digits.empty() && (digits[0] == '+' || digits[0] == '-')) {
    negative = digits[0] == '-';
    digits.remove_prefix(1);
  }
  std::string number = integer_with_base(negative, digits);
  return number.empty() ? decimal(negative, digits) : number;
}

}  // namespace

YamlScalar resolve_plain(std::string_view text) {
  if (is_null(text)) return {.kind = ValueKind::Null};
  if (is_true(text)) return {.kind = ValueKind::Bool, .boolean = true};
  if (is_false(text)) return {.kind = ValueKind::Bool};
  std::string number = as_number(text);
  if (number.empty()) return {};
  return {.kind = ValueKind::Number, .number = std::move(number)};
}

}  // namespace trellis
