// Times as the annotations of simulations give them.
#pragma once

#include <optional>
#include <string_view>

#include "framework/time.h"

namespace trellis {

// A time, or a time after the beginning of a simulation.
struct Moment {
  TimeUs at = 0;
  bool after_beginning = false;
  TimeUs from(TimeUs beginning) const { return after_beginning ? beginning + at : at; }
};

// Seconds ("90", "0.5") or a duration as in configurations ("1h30m"), not negative.
std::optional<TimeUs> parse_span(std::string_view text);
// The same, after the beginning; or a timestamp.
std::optional<Moment> parse_moment(std::string_view text);

}  // namespace trellis
