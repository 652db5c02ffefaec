// What is written to a pod when it is bound: the zones of each container, {"main":[0],"aid":[0,1]},
// and which report of its node's zones was the last before that, so that a reader of both knows
// whether the report has seen the pod.
#pragma once

#include <string_view>

namespace trellis {

inline constexpr std::string_view kNumaHint = "trellis.scheduler/numa-hint";
inline constexpr std::string_view kNumaReport = "trellis.scheduler/numa-report";

}  // namespace trellis
