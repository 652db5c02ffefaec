// What defragmentation has moved in the current hour, which begins with the first move after the
// hour before has ended.
#pragma once

#include <cstdint>
#include <string_view>

#include "framework/pod.h"
#include "framework/time.h"

namespace trellis {

// The action's name.
inline constexpr std::string_view kDefragmentation = "defragmentation";

inline constexpr TimeUs kHourUs = 3600 * kSecondUs;

// The GPUs that a pod holds, in thousandths; a part by GPU memory counts as whole devices.
inline int64_t held_gpu_milli(const PodSpec& spec) {
  int64_t portion = spec.gpu_share.portion_milli > 0 ? spec.gpu_share.portion_milli : kMilli;
  int64_t shared = spec.gpu_share.active() ? portion * spec.gpu_share.devices : 0;
  return spec.requests.get(kGpu) + spec.requests.get(kAmdGpu) + shared;
}

struct MovedGpus {
  TimeUs since = kNoTime;  // when the hour began; kNoTime: nothing was ever moved
  int64_t gpu_milli = 0;

  bool lasts(TimeUs now) const { return since != kNoTime && now - since < kHourUs; }
  // What counts against the budget of the hour.
  int64_t spent(TimeUs now) const { return lasts(now) ? gpu_milli : 0; }
  // With so much more, moved at `now`.
  MovedGpus with(TimeUs now, int64_t more_milli) const {
    return lasts(now) ? MovedGpus{since, gpu_milli + more_milli} : MovedGpus{now, more_milli};
  }
  bool operator==(const MovedGpus&) const = default;
};

}  // namespace trellis
