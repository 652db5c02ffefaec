#include "server/document/timestamp.h"

#include <algorithm>
#include <chrono>
#include <cstdint>

namespace trellis {
namespace {

using Days = std::chrono::sys_days;

constexpr int64_t kUsADay = 86'400 * kSecondUs;

// The number of days since 1970-01-01.
int64_t days_of(std::chrono::year_month_day date) { return Days(date).time_since_epoch().count(); }

// Reads a fixed format from left to right. After the first mismatch nothing matches any more.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  int64_t number(size_t digits, int64_t low, int64_t high) {
    int64_t value = 0;
    for (size_t i = 0; i < digits; ++i) {
      char c = next();
      if (c < '0' || c > '9') ok_ = false;
      value = value * 10 + (c - '0');
    }
    if (value < low || value > high) ok_ = false;
    return value;
  }
  void letter(char upper) {
    char c = next();
    if (c != upper && c != upper + ('a' - 'A')) ok_ = false;
  }
  void sign(char wanted) {
    if (next() != wanted) ok_ = false;
  }
  char peek() const { return text_.empty() ? '\0' : text_[0]; }
  char next() {
    char c = peek();
    if (!text_.empty()) text_.remove_prefix(1);
    return c;
  }
  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }

 private:
  std::string_view text_;
  bool ok_ = true;
};

int64_t fraction_us(Scanner& scanner) {
  int64_t microseconds = 0;
  int64_t unit = kSecondUs / 10;
  while (scanner.peek() >= '0' && scanner.peek() <= '9') {
    microseconds += (scanner.next() - '0') * unit;
    unit /= 10;
  }
  return microseconds;
}

void put(std::string& text, int64_t value, int digits) {
  std::string number = std::to_string(value);
  int missing = digits - static_cast<int>(number.size());
  if (missing > 0) text.append(static_cast<size_t>(missing), '0');
  text += number;
}

}  // namespace

std::optional<TimeUs> parse_timestamp(std::string_view text) {
  Scanner scanner(text);
  int64_t year = scanner.number(4, 0, 9999);
  scanner.sign('-');
  int64_t month = scanner.number(2, 1, 12);
  scanner.sign('-');
  int64_t day = scanner.number(2, 1, 31);
  scanner.letter('T');
  int64_t hour = scanner.number(2, 0, 23);
  scanner.sign(':');
  int64_t minute = scanner.number(2, 0, 59);
  scanner.sign(':');
  int64_t second = scanner.number(2, 0, 60);  // 60: a leap second
  int64_t microsecond = 0;
  if (scanner.peek() == '.') {
    scanner.next();
    if (scanner.peek() < '0' || scanner.peek() > '9') return std::nullopt;
    microsecond = fraction_us(scanner);
  }
  int64_t offset_minutes = 0;
  if (scanner.peek() == '+' || scanner.peek() == '-') {
    int64_t direction = scanner.next() == '-' ? -1 : 1;
    offset_minutes = scanner.number(2, 0, 23) * 60;
    scanner.sign(':');
    offset_minutes = direction * (offset_minutes + scanner.number(2, 0, 59));
  } else {
    scanner.letter('Z');
  }
  std::chrono::year_month_day date(std::chrono::year(static_cast<int>(year)),
                                   std::chrono::month(static_cast<unsigned>(month)),
                                   std::chrono::day(static_cast<unsigned>(day)));
  if (!scanner.ok() || !scanner.at_end() || !date.ok()) return std::nullopt;
  int64_t seconds = days_of(date) * 86'400 + hour * 3600 + (minute - offset_minutes) * 60 + second;
  return seconds * kSecondUs + microsecond;
}

std::string format_timestamp(TimeUs time) {
  using namespace std::chrono_literals;
  const TimeUs first = days_of(0y / 1 / 1) * kUsADay;
  const TimeUs last = days_of(10000y / 1 / 1) * kUsADay - 1;
  time = std::clamp(time, first, last);
  int64_t days = time / kUsADay - (time % kUsADay < 0 ? 1 : 0);
  int64_t in_day = time - days * kUsADay;
  std::chrono::year_month_day date{Days(std::chrono::days(days))};
  std::string text;
  put(text, static_cast<int>(date.year()), 4);
  text += '-';
  put(text, static_cast<unsigned>(date.month()), 2);
  text += '-';
  put(text, static_cast<unsigned>(date.day()), 2);
  text += 'T';
  put(text, in_day / (3600 * kSecondUs), 2);
  text += ':';
  put(text, in_day / (60 * kSecondUs) % 60, 2);
  text += ':';
  put(text, in_day / kSecondUs % 60, 2);
  if (in_day % kSecondUs != 0) {
    text += '.';
    put(text, in_day % kSecondUs, 6);
  }
  text += 'Z';
  return text;
}

std::string micro_time(TimeUs time) {
  constexpr size_t digits = 6;
  std::string text = format_timestamp(time - time % kSecondUs);
  std::string fraction = std::to_string(time % kSecondUs);
  fraction.insert(0, digits - fraction.size(), '0');
  text.pop_back();
  return text + "." + fraction + "Z";
}

}  // namespace trellis
