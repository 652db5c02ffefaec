#include "framework/daily_window.h"

namespace trellis {
namespace {

constexpr int32_t kDay = 24 * 60;  // minutes
constexpr TimeUs kMinuteUs = 60 * kSecondUs;
constexpr TimeUs kDayUs = kDay * kMinuteUs;

TimeUs time_of_day(TimeUs time) {
  TimeUs rest = time % kDayUs;
  return rest < 0 ? rest + kDayUs : rest;
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

}  // namespace

bool DailyWindow::contains(TimeUs time) const {
  if (from == until) return true;
  TimeUs now = time_of_day(time);
  bool after = now >= from * kMinuteUs;
  bool before = now < until * kMinuteUs;
  return from < until ? after && before : after || before;
}

TimeUs DailyWindow::next_opening(TimeUs time) const {
  if (from == until) return kNoTime;
  TimeUs today = time - time_of_day(time) + from * kMinuteUs;
  return today > time ? today : today + kDayUs;
}

std::optional<DailyWindow> parse_daily_window(std::string_view text) {
  if (text.empty()) return DailyWindow();
  size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  std::optional<int32_t> from = parse_minute(text.substr(0, dash));
  std::optional<int32_t> until = parse_minute(text.substr(dash + 1));
  if (!from || !until || from == until) return std::nullopt;
  return DailyWindow{*from, *until};
}

std::string to_string(const DailyWindow& window) {
  if (window.from == window.until) return "";
  return minute_text(window.from) + "-" + minute_text(window.until);
}

}  // namespace trellis
