// The time since which a gang runs: the recorded one, else the first start of its running pods.
#pragma once

#include <algorithm>
#include <span>

#include "framework/gang.h"
#include "framework/indexed_vector.h"
#include "framework/pod.h"
#include "framework/time.h"

namespace trellis {

// kNoTime: it is not known. Cost: O(its pods).
inline TimeUs running_since(const Gang& gang, const IndexedVector<PodId, PodSlot>& pods,
                            std::span<const PodId> of_gang) {
  if (gang.started != kNoTime) return gang.started;
  TimeUs first = kNoTime;
  for (PodId id : of_gang) {
    const Pod& pod = pods[id].pod;
    if (!will_remain(pod.status) || pod.started == kNoTime) continue;
    first = first == kNoTime ? pod.started : std::min(first, pod.started);
  }
  return first;
}

}  // namespace trellis
