#include "server/simulate/moment.h"

#include "server/document/duration.h"
#include "server/document/timestamp.h"

namespace trellis {

std::optional<Moment> parse_moment(std::string_view text) {
  if (std::optional<TimeUs> span = parse_span(text)) return Moment{*span, true};
  if (std::optional<TimeUs> time = parse_timestamp(text)) return Moment{*time, false};
  return std::nullopt;
}

}  // namespace trellis
