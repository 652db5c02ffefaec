#include "server/objects/run_time.h"

#include <cstdint>
#include <optional>

#include "server/document/duration.h"
#include "server/document/quantity.h"
#include "server/objects/decode_meta.h"

namespace trellis {
namespace {

constexpr std::string_view kMaxSecondsKey = "kueue.x-k8s.io/max-exec-time-seconds";
constexpr int64_t kMostSeconds = 10'000'000'000;  // more than 300 years

std::optional<TimeUs> whole_seconds(std::string_view text) {
  std::optional<int64_t> seconds = to_integer(text);
  if (!seconds || *seconds < 1 || *seconds > kMostSeconds) return std::nullopt;
  return *seconds * kSecondUs;
}

}  // namespace

TimeUs read_run_time(Value metadata, FieldReader& fields, bool strict) {
  TimeUs run_time = kNoTime;
  Value expected = annotation_or_label(metadata, kExpectedDurationKey);
  if (std::optional<TimeUs> span = parse_span(expected.text()); span && *span > 0) {
    run_time = *span;
  } else if (!expected.absent() && strict) {
    fields.error(expected, describe(expected), "seconds or a duration (1h30m), above 0");
  }
  Value most = annotation_or_label(metadata, kMaxSecondsKey);
  if (std::optional<TimeUs> limit = whole_seconds(most.text())) {
    run_time = shorter_run(run_time, *limit);
  } else if (!most.absent() && strict) {
    fields.error(most, describe(most), "a whole number of seconds from 1, as a string");
  }
  return run_time;
}

TimeUs decode_deadline(Value spec, FieldReader& fields) {
  std::optional<int64_t> seconds = fields.integer(spec, "activeDeadlineSeconds", 1, kMostSeconds);
  return seconds ? *seconds * kSecondUs : kNoTime;
}

}  // namespace trellis
