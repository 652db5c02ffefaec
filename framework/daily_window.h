// A part of each day, or of some days of the week, UTC: from one minute to another, past midnight
// where the second comes first. A window belongs to the day on which it opens.
//
// Cost: O(1).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "framework/time.h"

namespace trellis {

struct DailyWindow {
  static constexpr uint8_t kEveryDay = 0x7F;

  int32_t from = 0;          // minutes since midnight
  int32_t until = 0;         // equal to `from`: the whole day
  uint8_t days = kEveryDay;  // on which it opens: a bit each, Monday the lowest

  bool contains(TimeUs time) const;
  // The first moment after `time` at which the window opens; kNoTime: it is never closed.
  TimeUs next_opening(TimeUs time) const;
  bool operator==(const DailyWindow&) const = default;
};

// "22:00-06:00", "Sat,Sun", "Mon-Thu,Sat 22:00-06:00"; "" is every whole day. nullopt: the text is
// none of these.
std::optional<DailyWindow> parse_daily_window(std::string_view text);
std::string to_string(const DailyWindow& window);

}  // namespace trellis
