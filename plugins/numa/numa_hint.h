// Annotations that are written to a pod when it is bound: the zones of each container,
// {"main":[0],"aid":[0,1]}, and the hash of the node's last zone report before the bind. From both
// a reader sees whether a report already includes the pod.
#pragma once

#include <string_view>

namespace trellis {

inline constexpr std::string_view kNumaHint = "trellis.scheduler/numa-hint";
inline constexpr std::string_view kNumaReport = "trellis.scheduler/numa-report";

}  // namespace trellis
