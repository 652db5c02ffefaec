// The schedule of a CronJob.
#pragma once

#include <optional>
#include <string_view>

#include "framework/time.h"

namespace trellis {

// The first minute after `after` that the schedule names, in UTC: five fields with lists, ranges,
// steps and names, or @hourly, @daily, @midnight, @weekly, @monthly, @yearly, @annually. As in
// cron, where both day of month and day of week are given, one of them is enough. nullopt: it is no
// schedule, or it names no minute of the next eight years.
std::optional<TimeUs> next_run(std::string_view schedule, TimeUs after);

}  // namespace trellis
