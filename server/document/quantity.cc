#include "server/document/quantity.h"

#include <algorithm>
#include <charconv>

#include "framework/ascii.h"
#include "framework/resources.h"

namespace trellis {
namespace {

// Wide enough for 19 digits times 2^60.
__extension__ using Wide = unsigned __int128;

constexpr int kDigitsKept = 19;
constexpr int kExponentBound = 100'000;  // far beyond any exponent that changes the result

struct Number {
  uint64_t digits = 0;   // the first significant digits
  int64_t exponent = 0;  // of ten: the number is digits * 10^exponent
  bool more = false;     // digits other than 0 were dropped behind the kept ones
  bool negative = false;
};

// Removes the number from the front of `text`.
std::optional<Number> take_number(std::string_view& text) {
  Number number;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    number.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  int kept = 0;
  bool point = false;
  bool any = false;
  size_t at = 0;
  for (; at < text.size(); ++at) {
    char c = text[at];
    if (c == '.' && !point) {
      point = true;
      continue;
    }
    if (!is_digit(c)) break;
    any = true;
    if (kept < kDigitsKept) {
      number.digits = number.digits * 10 + static_cast<uint64_t>(c - '0');
      if (number.digits > 0) ++kept;
      if (point) --number.exponent;
    } else {
      number.more = number.more || c != '0';
      if (!point) ++number.exponent;
    }
  }
  if (!any) return std::nullopt;
  text.remove_prefix(at);
  return number;
}

struct Suffix {
  int decimal = 0;  // a power of ten
  int binary = 0;   // a power of two
};

std::optional<int> parse_exponent(std::string_view text) {
  bool negative = false;
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) {
    negative = text[0] == '-';
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  int value = 0;
  for (char c : text) {
    if (!is_digit(c)) return std::nullopt;
    value = std::min(value * 10 + (c - '0'), kExponentBound);
  }
  return negative ? -value : value;
}

std::optional<Suffix> parse_suffix(std::string_view text) {
  if (text.empty()) return Suffix{};
  constexpr std::string_view kBinary = "KMGTPE";
  if (text.size() == 2 && text[1] == 'i') {
    size_t at = kBinary.find(text[0]);
    if (at == std::string_view::npos) return std::nullopt;
    return Suffix{.binary = 10 * (static_cast<int>(at) + 1)};
  }
  if (text.size() == 1) {
    constexpr std::string_view kDecimal = "num kMGTPE";  // -9, -6, -3, 0, 3, ...
    size_t at = kDecimal.find(text[0]);
    if (at == std::string_view::npos || text[0] == ' ') return std::nullopt;
    return Suffix{.decimal = 3 * static_cast<int>(at) - 9};
  }
  if (text[0] != 'e' && text[0] != 'E') return std::nullopt;
  std::optional<int> exponent = parse_exponent(text.substr(1));
  if (!exponent) return std::nullopt;
  return Suffix{.decimal = *exponent};
}

}  // namespace

std::optional<Quantity> parse_quantity(std::string_view text, int decimals, int64_t most) {
  std::optional<Number> number = take_number(text);
  if (!number) return std::nullopt;
  std::optional<Suffix> suffix = parse_suffix(text);
  if (!suffix) return std::nullopt;

  Quantity quantity;
  quantity.negative = number->negative && (number->digits > 0 || number->more);
  if (number->digits == 0) return quantity;

  const Wide greatest = static_cast<Wide>(most);
  Wide value = static_cast<Wide>(number->digits) << suffix->binary;
  int64_t exponent = number->exponent + suffix->decimal + decimals;
  quantity.exact = !number->more;
  for (; exponent > 0 && value <= greatest; --exponent) value *= 10;
  bool rest = number->more;
  for (; exponent < 0 && value > 0; ++exponent) {
    rest = rest || value % 10 != 0;
    value /= 10;
  }
  if (rest) {
    ++value;
    quantity.exact = false;
  }
  if (value > greatest) {
    value = greatest;
    quantity.exact = false;
  }
  quantity.amount = static_cast<int64_t>(value);
  if (number->negative) quantity.amount = -quantity.amount;
  return quantity;
}

std::optional<int64_t> to_integer(std::string_view text) {
  int64_t value = 0;
  auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (fault != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace trellis
