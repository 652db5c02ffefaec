#include "server/grouping/cron_schedule.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <system_error>
#include <utility>

#include "framework/ascii.h"

namespace trellis {
namespace {

constexpr std::pair<std::string_view, std::string_view> kShort[] = {
    {"@hourly", "0 * * * *"},  {"@daily", "0 0 * * *"},   {"@midnight", "0 0 * * *"},
    {"@weekly", "0 0 * * 0"},  {"@monthly", "0 0 1 * *"}, {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"}};
constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                      "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr std::array<std::string_view, 7> kWeekDays = {"sun", "mon", "tue", "wed",
                                                       "thu", "fri", "sat"};

// What a field of a schedule may hold.
struct CronRange {
  int low;
  int high;
};
constexpr std::array<CronRange, 5> kRanges = {{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 7}}};

struct CronField {
  uint64_t values = 0;  // bit i: the value i
  bool any = false;     // begins with *
  bool has(unsigned value) const { return (values >> value & 1) != 0; }
};

std::optional<int> cron_number(std::string_view word, size_t field) {
  std::string name = lower(word);
  for (size_t i = 0; field == 3 && i < kMonths.size(); ++i) {
    if (name == kMonths[i]) return static_cast<int>(i) + 1;
  }
  for (size_t i = 0; field == 4 && i < kWeekDays.size(); ++i) {
    if (name == kWeekDays[i]) return static_cast<int>(i);
  }
  int value = 0;
  auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (fault != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if (value < kRanges[field].low || value > kRanges[field].high) return std::nullopt;
  return value;
}

// "1-5/2", "*", "*/10", "7". False: it is none.
bool add_cron_part(std::string_view part, size_t index, CronField& field) {
  size_t slash = part.find('/');
  int step = 1;
  if (slash != std::string_view::npos) {
    std::string_view word = part.substr(slash + 1);
    auto [end, fault] = std::from_chars(word.data(), word.data() + word.size(), step);
    if (fault != std::errc() || end != word.data() + word.size() || step < 1) return false;
  }
  std::string_view range = part.substr(0, slash);
  int from = kRanges[index].low;
  int to = kRanges[index].high;
  if (range == "*" || range == "?") {
    field.any = true;
  } else {
    size_t dash = range.find('-');
    std::optional<int> first = cron_number(range.substr(0, dash), index);
    std::optional<int> last = first;
    if (dash != std::string_view::npos) last = cron_number(range.substr(dash + 1), index);
    if (!first || !last || *last < *first) return false;
    from = *first;
    to = dash == std::string_view::npos && slash != std::string_view::npos ? to : *last;
  }
  for (int value = from; value <= to; value += step) {
    int bit = index == 4 && value == 7 ? 0 : value;  // Sunday
    field.values |= uint64_t{1} << static_cast<unsigned>(bit);
  }
  return true;
}

std::optional<std::array<CronField, 5>> parse_schedule(std::string_view schedule) {
  for (const auto& [word, meaning] : kShort) {
    if (schedule == word) schedule = meaning;
  }
  std::array<CronField, 5> fields;
  for (size_t i = 0; i < fields.size(); ++i) {
    size_t start = schedule.find_first_not_of(" \t");
    if (start == std::string_view::npos) return std::nullopt;
    schedule.remove_prefix(start);
    std::string_view text = schedule.substr(0, schedule.find_first_of(" \t"));
    schedule.remove_prefix(text.size());
    while (true) {
      std::string_view part = text.substr(0, text.find(','));
      if (!add_cron_part(part, i, fields[i])) return std::nullopt;
      if (part.size() == text.size()) break;
      text.remove_prefix(part.size() + 1);
    }
  }
  if (schedule.find_first_not_of(" \t") != std::string_view::npos) return std::nullopt;
  return fields;
}

bool names_day(const std::array<CronField, 5>& fields, std::chrono::sys_days day) {
  std::chrono::year_month_day date(day);
  bool month_day = fields[2].has(static_cast<unsigned>(date.day()));
  bool week_day = fields[4].has(std::chrono::weekday(day).c_encoding());
  bool either = !fields[2].any && !fields[4].any;
  bool of_days = either ? month_day || week_day : month_day && week_day;
  return of_days && fields[3].has(static_cast<unsigned>(date.month()));
}

}  // namespace

std::optional<TimeUs> next_run(std::string_view schedule, TimeUs after) {
  constexpr int kDays = 8 * 366;
  constexpr int64_t kMinuteUs = 60'000'000;
  constexpr int64_t kMinutesOfDay = 24 * 60;
  std::optional<std::array<CronField, 5>> fields = parse_schedule(schedule);
  if (!fields) return std::nullopt;
  int64_t minute = after / kMinuteUs + 1;
  std::chrono::sys_days day{std::chrono::days(minute / kMinutesOfDay)};
  int64_t of_day = minute % kMinutesOfDay;
  for (int i = 0; i < kDays; ++i, day += std::chrono::days(1), of_day = 0) {
    if (!names_day(*fields, day)) continue;
    for (; of_day < kMinutesOfDay; ++of_day) {
      bool named = (*fields)[0].has(static_cast<unsigned>(of_day % 60)) &&
                   (*fields)[1].has(static_cast<unsigned>(of_day / 60));
      if (!named) continue;
      return (day.time_since_epoch().count() * kMinutesOfDay + of_day) * kMinuteUs;
    }
  }
  return std::nullopt;
}

}  // namespace trellis
