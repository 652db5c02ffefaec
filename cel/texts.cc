#include "cel/texts.h"

#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace trellis::cel {
namespace {

constexpr int64_t kSecond = 1'000'000'000;

// Digits of a fraction of a second, without zeros at the end: ".5".
std::string fraction(int64_t ns) {
  if (ns == 0) return "";
  std::string digits = std::to_string(ns + kSecond).substr(1);
  return "." + digits.substr(0, digits.find_last_not_of('0') + 1);
}

bool take_digits(std::string_view& text, size_t count, int64_t& number) {
  if (text.size() < count) return false;
  auto [end, error] = std::from_chars(text.data(), text.data() + count, number);
  if (error != std::errc() || end != text.data() + count || text.front() == '-') return false;
  text.remove_prefix(count);
  return true;
}

bool take_sign(std::string_view& text, std::string_view signs) {
  if (text.empty() || signs.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

// Nanoseconds behind a point.
bool take_fraction(std::string_view& text, int64_t& ns) {
  if (!take_sign(text, ".")) return true;
  int64_t unit = kSecond;
  bool any = false;
  while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
    unit /= 10;
    ns += unit * (text.front() - '0');
    text.remove_prefix(1);
    any = true;
  }
  return any;
}

// Seconds east of Greenwich.
bool take_offset(std::string_view& text, int64_t& s) {
  if (take_sign(text, "Zz")) return true;
  bool west = !text.empty() && text.front() == '-';
  int64_t hours = 0;
  int64_t minutes = 0;
  if (!take_sign(text, "+-") || !take_digits(text, 2, hours) || !take_sign(text, ":") ||
      !take_digits(text, 2, minutes) || hours > 23 || minutes > 59) {
    return false;
  }
  s = (hours * 60 + minutes) * (west ? -60 : 60);
  return true;
}

struct Unit {
  std::string_view name;
  double ns;
};

constexpr std::array<Unit, 8> kUnits = {{{"ns", 1},
                                         {"us", 1e3},
                                         {"µs", 1e3},
                                         {"μs", 1e3},
                                         {"ms", 1e6},
                                         {"s", 1e9},
                                         {"m", 60e9},
                                         {"h", 3600e9}}};

}  // namespace

std::string double_text(double number) {
  if (std::isnan(number)) return "NaN";
  if (std::isinf(number)) return number < 0 ? "-Inf" : "+Inf";
  std::array<char, 400> buffer{};
  double size = std::fabs(number);
  bool exponent = size != 0 && (size < 1e-4 || size >= 1e21);
  auto [end, error] =
      std::to_chars(buffer.data(), buffer.data() + buffer.size(), number,
                    exponent ? std::chars_format::scientific : std::chars_format::fixed);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string();
}

std::optional<double> double_of(const std::string& text) {
  double number = 0;
  const char* last = text.data() + text.size();
  auto [end, error] = std::from_chars(text.data(), last, number);
  if (end != last || error == std::errc::invalid_argument) return std::nullopt;
  if (error == std::errc()) return number;
  // Out of range: too large, or too small.
  number = std::strtod(text.c_str(), nullptr);
  return std::isinf(number) ? std::optional<double>() : number;
}

std::string duration_text(int64_t ns) {
  std::string sign = ns < 0 ? "-" : "";
  uint64_t size = ns < 0 ? 0 - static_cast<uint64_t>(ns) : static_cast<uint64_t>(ns);
  return sign + std::to_string(size / kSecond) + fraction(static_cast<int64_t>(size % kSecond)) +
         "s";
}

std::string timestamp_text(const Value& time) {
  absl::Time at = absl::FromUnixSeconds(time.int_value());
  return absl::FormatTime("%E4Y-%m-%dT%H:%M:%S", at, absl::UTCTimeZone()) +
         fraction(time.nanoseconds()) + "Z";
}

std::optional<int64_t> duration_of(std::string_view text) {
  bool negative = !text.empty() && text.front() == '-';
  take_sign(text, "+-");
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  long double total = 0;
  while (!text.empty()) {
    size_t end = text.find_first_not_of("0123456789.");
    if (end == 0 || end == std::string_view::npos || text.substr(0, end) == ".")
      return std::nullopt;
    double number = 0;
    auto [stop, error] = std::from_chars(text.data(), text.data() + end, number);
    if (error != std::errc() || stop != text.data() + end) return std::nullopt;
    text.remove_prefix(end);
    size_t letters = text.find_first_of("0123456789.");
    std::string_view name = text.substr(0, letters);
    const Unit* unit = nullptr;
    for (const Unit& known : kUnits) {
      if (known.name == name) unit = &known;
    }
    if (unit == nullptr) return std::nullopt;
    text.remove_prefix(name.size());
    total += static_cast<long double>(number) * unit->ns;
  }
  if (total >= static_cast<long double>(std::numeric_limits<int64_t>::max())) return std::nullopt;
  auto ns = static_cast<int64_t>(total);
  return negative ? -ns : ns;
}

Value timestamp_of(std::string_view text) {
  std::array<int64_t, 6> part{};
  static constexpr std::array<std::string_view, 6> kBehind = {"-", "-", "Tt", ":", ":", ""};
  Value bad = Value::error("type conversion error from 'string' to 'google.protobuf.Timestamp'");
  for (size_t i = 0; i < part.size(); ++i) {
    if (!take_digits(text, i == 0 ? 4 : 2, part[i])) return bad;
    if (!kBehind[i].empty() && !take_sign(text, kBehind[i])) return bad;
  }
  int64_t ns = 0;
  int64_t offset_s = 0;
  if (!take_fraction(text, ns) || !take_offset(text, offset_s) || !text.empty()) return bad;
  absl::CivilSecond civil(part[0], static_cast<int>(part[1]), static_cast<int>(part[2]),
                          static_cast<int>(part[3]), static_cast<int>(part[4]),
                          static_cast<int>(part[5]));
  // A day that does not exist became another one.
  if (civil.month() != part[1] || civil.day() != part[2] || civil.hour() != part[3] ||
      civil.minute() != part[4] || civil.second() != part[5] || part[0] < 1) {
    return bad;
  }
  int64_t s = absl::ToUnixSeconds(absl::FromCivil(civil, absl::UTCTimeZone())) - offset_s;
  return Value::timestamp(s, ns);
}

}  // namespace trellis::cel
