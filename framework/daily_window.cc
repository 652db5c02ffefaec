#include "framework/daily_window.h"

#include <algorithm>
#include <array>

namespace trellis {
namespace {

constexpr int32_t kDay = 24 * 60;  // minutes
constexpr TimeUs kMinuteUs = 60 * kSecondUs;
constexpr TimeUs kDayUs = kDay * kMinuteUs;

constexpr std::array<std::string_view, 7> kDayNames = {"Mon", "Tue", "Wed", "Thu",
                                                       "Fri", "Sat", "Sun"};

// Since 1970-01-01.
int64_t day_of(TimeUs time) { return (time - (time < 0 ? kDayUs - 1 : 0)) / kDayUs; }

bool opens_on(const DailyWindow& window, int64_t day) {
  constexpr int64_t kFirst = 3;  // 1970-01-01 was a Thursday
  int64_t weekday = ((day + kFirst) % 7 + 7) % 7;
  return (window.days >> weekday & 1) != 0;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// `hh:mm`, from 00:00 to 23:59.
std::optional<int32_t> parse_minute(std::string_view text) {
  if (text.size() != 5 || text[2] != ':') return std::nullopt;
  for (size_t i : {0, 1, 3, 4}) {
    if (!is_digit(text[i])) return std::nullopt;
  }
  int32_t hour = (text[0] - '0') * 10 + (text[1] - '0');
  int32_t minute = (text[3] - '0') * 10 + (text[4] - '0');
  if (hour > 23 || minute > 59) return std::nullopt;
  return hour * 60 + minute;
}

std::string minute_text(int32_t minute) {
  auto two = [](int32_t number) {
    return std::string(1, static_cast<char>('0' + number / 10)) +
           static_cast<char>('0' + number % 10);
  };
  return two(minute / 60) + ":" + two(minute % 60);
}

std::optional<size_t> parse_day(std::string_view text) {
  const auto* found = std::ranges::find(kDayNames, text);
  if (found == kDayNames.end()) return std::nullopt;
  return static_cast<size_t>(found - kDayNames.begin());
}

// "Mon,Wed-Fri" as bits; a range may pass Sunday.
std::optional<uint8_t> parse_days(std::string_view text) {
  unsigned days = 0;
  while (true) {
    size_t end = std::min(text.find(','), text.size());
    std::string_view item = text.substr(0, end);
    size_t dash = std::min(item.find('-'), item.size());
    std::optional<size_t> first = parse_day(item.substr(0, dash));
    std::optional<size_t> last = dash == item.size() ? first : parse_day(item.substr(dash + 1));
    if (!first || !last) return std::nullopt;
    for (size_t day = *first; day != *last; day = (day + 1) % kDayNames.size()) days |= 1U << day;
    days |= 1U << *last;
    if (end == text.size()) return static_cast<uint8_t>(days);
    text.remove_prefix(end + 1);
  }
}

// "22:00-06:00"; an empty text is the whole day.
std::optional<DailyWindow> parse_hours(std::string_view text) {
  if (text.empty()) return DailyWindow();
  size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::optional<int32_t> from = parse_minute(text.substr(0, dash));
  std::optional<int32_t> until = parse_minute(text.substr(dash + 1));
  if (!from || !until || from == until) return std::nullopt;
  return DailyWindow{*from, *until};
}

std::string days_text(uint8_t days) {
  std::string text;
  for (size_t day = 0; day < kDayNames.size(); ++day) {
    if ((days >> day & 1) == 0) continue;
    if (!text.empty()) text += ',';
    text += kDayNames[day];
  }
  return text;
}

}  // namespace

bool DailyWindow::contains(TimeUs time) const {
  int64_t today = day_of(time);
  TimeUs now = time - today * kDayUs;
  bool after = now >= from * kMinuteUs;
  bool before = now < until * kMinuteUs;
  if (from == until) return opens_on(*this, today);
  if (from < until) return after && before && opens_on(*this, today);
  return (after && opens_on(*this, today)) || (before && opens_on(*this, today - 1));
}

TimeUs DailyWindow::next_opening(TimeUs time) const {
  if (from == until && days == kEveryDay) return kNoTime;
  int64_t today = day_of(time);
  for (int64_t day = today; day <= today + 7; ++day) {
    TimeUs opening = day * kDayUs + from * kMinuteUs;
    if (opening > time && opens_on(*this, day)) return opening;
  }
  return kNoTime;
}

std::optional<DailyWindow> parse_daily_window(std::string_view text) {
  std::optional<uint8_t> days = DailyWindow::kEveryDay;
  if (!text.empty() && !is_digit(text.front())) {
    size_t end = text.find(' ');
    days = parse_days(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (end != std::string_view::npos && text.empty()) return std::nullopt;
  }
  std::optional<DailyWindow> window = parse_hours(text);
  if (!days || !window) return std::nullopt;
  window->days = *days;
  return window;
}

std::string to_string(const DailyWindow& window) {
  std::string days = window.days == DailyWindow::kEveryDay ? "" : days_text(window.days);
  if (window.from == window.until) return days;
  return days + (days.empty() ? "" : " ") + minute_text(window.from) + "-" +
         minute_text(window.until);
}

}  // namespace trellis
