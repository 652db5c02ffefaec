#include "cel/quantity.h"

#include <algorithm>
#include <limits>

namespace trellis::cel {
namespace {

constexpr Quantity::Nanos kMost =
    Quantity::Nanos{1'000'000'000'000'000'000} * 1'000'000'000 * 1'000'000'000 * 100;

bool is_decimal(char c) { return c >= '0' && c <= '9'; }

struct Suffix {
  bool known = false;
  bool binary = false;
  // The power of 10, or of 1024.
  int power = 0;
};

// "e" and a number that follows it.
Suffix exponent_of(std::string_view text) {
  if (text.size() < 2) return {};
  bool negative = text[1] == '-';
  size_t at = negative || text[1] == '+' ? 2 : 1;
  if (at >= text.size() || text.size() > at + 3) return {};
  int power = 0;
  for (; at < text.size(); ++at) {
    if (!is_decimal(text[at])) return {};
    power = power * 10 + (text[at] - '0');
  }
  return {true, false, negative ? -power : power};
}

Suffix suffix_of(std::string_view text) {
  if (text.empty()) return {true, false, 0};
  static constexpr std::string_view kBinary = "KMGTPE";
  if (text.size() == 2 && text[1] == 'i') {
    size_t at = kBinary.find(text[0]);
    if (at == std::string_view::npos) return {};
    return {true, true, static_cast<int>(at) + 1};
  }
  if (text.size() == 1) {
    switch (text[0]) {
      case 'n':
        return {true, false, -9};
      case 'u':
        return {true, false, -6};
      case 'm':
        return {true, false, -3};
      case 'k':
        return {true, false, 3};
      case 'M':
        return {true, false, 6};
      case 'G':
        return {true, false, 9};
      case 'T':
        return {true, false, 12};
      case 'P':
        return {true, false, 15};
      case 'E':
        return {true, false, 18};
      default:
        return {};
    }
  }
  return text[0] == 'e' || text[0] == 'E' ? exponent_of(text) : Suffix{};
}

struct Number {
  bool valid = false;
  bool negative = false;
  Quantity::Nanos digits = 0;
  // How many of the digits are behind the point.
  int decimals = 0;
  // Digits that are not kept were not all 0.
  bool more = false;
  size_t end = 0;
};

Number number_of(std::string_view text) {
  Number number;
  size_t at = 0;
  if (at < text.size() && (text[at] == '+' || text[at] == '-')) number.negative = text[at++] == '-';
  bool point = false;
  bool any = false;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_decimal(text[at])) break;
    any = true;
    bool full = number.digits > kMost / 100;
    if (full && !point) return {};
    if (full || number.decimals >= 30) {
      number.more = number.more || text[at] != '0';
      continue;
    }
    number.digits = number.digits * 10 + (text[at] - '0');
    if (point) ++number.decimals;
  }
  number.valid = any;
  number.end = at;
  return number;
}

}  // namespace

std::optional<Quantity> Quantity::parse(std::string_view text) {
  Number number = number_of(text);
  if (!number.valid) return std::nullopt;
  Suffix suffix = suffix_of(text.substr(number.end));
  if (!suffix.known) return std::nullopt;
  Nanos nanos = number.digits;
  for (int i = 0; suffix.binary && i < suffix.power; ++i) {
    if (nanos > kMost / 1024) return std::nullopt;
    nanos *= 1024;
  }
  int shift = 9 - number.decimals + (suffix.binary ? 0 : suffix.power);
  for (; shift > 0 && nanos != 0; --shift) {
    if (nanos > kMost / 10) return std::nullopt;
    nanos *= 10;
  }
  bool rest = number.more;
  for (; shift < 0 && nanos != 0; ++shift) {
    rest = rest || nanos % 10 != 0;
    nanos /= 10;
  }
  if (rest) ++nanos;
  return Quantity(number.negative ? -nanos : nanos);
}

std::optional<int64_t> Quantity::units() const {
  if (nanos_ % kOne != 0) return std::nullopt;
  Nanos units = nanos_ / kOne;
  if (units > std::numeric_limits<int64_t>::max() || units < std::numeric_limits<int64_t>::min()) {
    return std::nullopt;
  }
  return static_cast<int64_t>(units);
}

std::string Quantity::text() const {
  static constexpr std::string_view kSuffixes[] = {"", "m", "u", "n"};
  Nanos unit = kOne;
  size_t suffix = 0;
  while (nanos_ % unit != 0) {
    unit /= 1000;
    ++suffix;
  }
  Nanos left = nanos_ < 0 ? -(nanos_ / unit) : nanos_ / unit;
  std::string digits;
  do {
    digits.push_back(static_cast<char>('0' + static_cast<int>(left % 10)));
    left /= 10;
  } while (left != 0);
  if (nanos_ < 0) digits.push_back('-');
  std::reverse(digits.begin(), digits.end());
  return digits.append(kSuffixes[suffix]);
}

std::string_view why_no_quantity(std::string_view text) {
  if (text.empty()) return "an empty text is no quantity";
  if (Quantity::parse(text)) return "";
  return "quantities must match the regular expression "
         "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
}

}  // namespace trellis::cel
