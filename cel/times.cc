// Parts of durations and timestamps.
#include <absl/time/civil_time.h>
#include <absl/time/time.h>

#include <string>

#include "cel/functions.h"
#include "cel/texts.h"

namespace trellis::cel {
namespace {

using Arguments = std::span<const Value>;

constexpr int64_t kMs = 1'000'000;
constexpr int64_t kS = 1000 * kMs;

// "+02:00", "-5:30", or a name of the time zone database.
bool zone_of(const std::string& text, absl::TimeZone& zone) {
  size_t colon = text.find(':');
  if (colon == std::string::npos) return absl::LoadTimeZone(text, &zone);
  bool west = text.front() == '-';
  size_t from = west || text.front() == '+' ? 1 : 0;
  int hours = 0;
  int minutes = 0;
  for (size_t i = from; i < text.size(); ++i) {
    if (i == colon) continue;
    if (text[i] < '0' || text[i] > '9' || text.size() > 6) return false;
    int& part = i < colon ? hours : minutes;
    part = part * 10 + (text[i] - '0');
  }
  if (hours > 23 || minutes > 59) return false;
  zone = absl::FixedTimeZone((west ? -60 : 60) * (hours * 60 + minutes));
  return true;
}

template <class Part>
Value civil_part(Arguments a, Part part) {
  absl::TimeZone zone = absl::UTCTimeZone();
  if (a.size() == 2 && (!a[1].is(Kind::String) || a[1].text().empty())) {
    return Value::no_such_overload();
  }
  if (a.size() == 2 && !zone_of(a[1].text(), zone)) {
    return Value::error("unknown time zone " + a[1].text());
  }
  absl::CivilSecond civil = absl::ToCivilSecond(absl::FromUnixSeconds(a[0].int_value()), zone);
  return Value::integer(static_cast<int64_t>(part(civil)));
}

template <class Part>
Value date_part(Arguments a, Part part) {
  return a[0].is(Kind::Timestamp) ? civil_part(a, part) : Value::no_such_overload();
}

// The same names are whole lengths of durations.
template <class Part>
Value time_part(Arguments a, int64_t unit, Part part) {
  if (a[0].is(Kind::Duration) && a.size() == 1) return Value::integer(a[0].int_value() / unit);
  return date_part(a, part);
}

Value year(Arguments a) {
  return date_part(a, [](absl::CivilSecond c) { return c.year(); });
}
Value month(Arguments a) {
  return date_part(a, [](absl::CivilSecond c) { return c.month() - 1; });
}
Value date(Arguments a) {
  return date_part(a, [](absl::CivilSecond c) { return c.day(); });
}
Value day_of_month(Arguments a) {
  return date_part(a, [](absl::CivilSecond c) { return c.day() - 1; });
}
Value day_of_week(Arguments a) {
  return date_part(
      a, [](absl::CivilSecond c) { return (static_cast<int>(absl::GetWeekday(c)) + 1) % 7; });
}
Value day_of_year(Arguments a) {
  return date_part(a, [](absl::CivilSecond c) { return absl::GetYearDay(absl::CivilDay(c)) - 1; });
}
Value hours(Arguments a) {
  return time_part(a, 3600 * kS, [](absl::CivilSecond c) { return c.hour(); });
}
Value minutes(Arguments a) {
  return time_part(a, 60 * kS, [](absl::CivilSecond c) { return c.minute(); });
}
Value seconds(Arguments a) {
  return time_part(a, kS, [](absl::CivilSecond c) { return c.second(); });
}
Value milliseconds(Arguments a) {
  if (a[0].is(Kind::Duration)) return Value::integer(a[0].int_value() / kMs);
  if (!a[0].is(Kind::Timestamp)) return Value::no_such_overload();
  return Value::integer(a[0].nanoseconds() / kMs);
}

constexpr std::string_view kDate = "timestamp: int; timestamp, string: int";
constexpr std::string_view kTime = "timestamp: int; timestamp, string: int; duration: int";

constexpr Function kTimes[] = {
    {"getFullYear", true, kDate, year},
    {"getMonth", true, kDate, month},
    {"getDate", true, kDate, date},
    {"getDayOfMonth", true, kDate, day_of_month},
    {"getDayOfWeek", true, kDate, day_of_week},
    {"getDayOfYear", true, kDate, day_of_year},
    {"getHours", true, kTime, hours},
    {"getMinutes", true, kTime, minutes},
    {"getSeconds", true, kTime, seconds},
    {"getMilliseconds", true, kTime, milliseconds},
};

}  // namespace

std::span<const Function> time_functions() { return kTimes; }

}  // namespace trellis::cel
