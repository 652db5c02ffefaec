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

// A span (server/document/duration.h) after the beginning; or a timestamp.
std::optional<Moment> parse_moment(std::string_view text);

}  // namespace trellis
