#include "server/simulate/trace_row.h"

#include <optional>

#include "server/document/document.h"
#include "server/document/duration.h"
#include "server/document/quantity.h"
#include "server/document/timestamp.h"

namespace trellis {

void TraceRow::fail(std::string_view name, std::string_view text, std::string_view expected) {
  if (!error_.empty()) return;
  error_ = place_ + ": " + std::string(name) + ": found " + in_quotes(text) + ", expected " +
           std::string(expected);
}

TimeUs TraceRow::seconds(std::string_view name, std::string_view text, TimeUs otherwise) {
  if (text.empty()) return otherwise;
  std::optional<TimeUs> span = parse_span(text);
  if (!span) fail(name, text, "seconds, 0 or more");
  return span.value_or(otherwise);
}

TimeUs TraceRow::date(std::string_view name, std::string_view text) {
  std::string stamp(text);
  constexpr size_t kDayLength = 10;
  if (stamp.size() > kDayLength && stamp[kDayLength] == ' ') stamp[kDayLength] = 'T';
  std::optional<TimeUs> time = parse_timestamp(stamp + "Z");
  if (!time) fail(name, text, "a time such as 2017-10-09 07:01:55");
  return time.value_or(0);
}

int64_t TraceRow::count(std::string_view name, std::string_view text, int64_t least,
                        int64_t otherwise) {
  if (text.empty()) return otherwise;
  std::optional<int64_t> value = to_integer(text);
  constexpr int64_t kMost = 1'000'000'000;
  if (!value || *value < least || *value > kMost) {
    fail(name, text, "a whole number, " + std::to_string(least) + " or more");
    return otherwise;
  }
  return *value;
}

int64_t TraceRow::quantity(std::string_view name, std::string_view text, int decimals) {
  if (text.empty()) return 0;
  std::optional<Quantity> value = parse_quantity(text, decimals);
  if (!value || value->negative) {
    fail(name, text, "an amount, 0 or more");
    return 0;
  }
  return value->amount;
}

}  // namespace trellis
