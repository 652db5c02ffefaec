// How long a gang is expected to run, as objects state it.
#pragma once

#include <algorithm>
#include <string_view>

#include "framework/time.h"
#include "server/document/field_reader.h"

namespace trellis {

inline constexpr std::string_view kExpectedDurationKey = "trellis.scheduler/expected-duration";

// Of two run times that are known, the shorter one: a limit ends a run that was expected to go on.
inline TimeUs shorter_run(TimeUs a, TimeUs b) {
  if (a == kNoTime || b == kNoTime) return std::max(a, b);
  return std::min(a, b);
}

// The annotation or label `trellis.scheduler/expected-duration` (seconds or a duration), or Kueue's
// label `kueue.x-k8s.io/max-exec-time-seconds`. kNoTime: neither, or not understood, which is
// reported if `strict`.
TimeUs read_run_time(Value metadata, FieldReader& fields, bool strict);

// spec.activeDeadlineSeconds of a Job or a pod; kNoTime: it has none.
TimeUs decode_deadline(Value spec, FieldReader& fields);

}  // namespace trellis
