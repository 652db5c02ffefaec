#include "plugins/numa/zone_book.h"

#include <algorithm>

#include "framework/resources.h"

namespace trellis {
namespace {

// How often a pod's amounts are missing from what is free.
struct Times {
  int64_t now = 0;
  int64_t future = 0;
};

Times times_of(const ZonePod& pod) {
  bool leaves = pod.presence == Presence::Leaves || pod.presence == Presence::Evicted;
  if (pod.reported) return {0, leaves ? -1 : 0};
  if (pod.presence == Presence::Promised) return {0, 1};
  return {1, leaves ? 0 : 1};
}

}  // namespace

const ZonePod* ZoneBook::find(PodId pod) const {
  for (const ZonePod& one : pods) {
    if (one.there && one.pod == pod && one.presence != Presence::Evicted) return &one;
  }
  return nullptr;
}

ZonePod* ZoneBook::find(PodId pod, PodClassId pod_class, Presence presence) {
  auto is_it = [&](const ZonePod& one) {
    return one.there && one.pod == pod && one.pod_class == pod_class && one.presence == presence;
  };
  auto found = std::find_if(pods.rbegin(), pods.rend(), is_it);
  return found == pods.rend() ? nullptr : &*found;
}

void ZoneBook::sum_up(std::span<int64_t> now, std::span<int64_t> future) const {
  std::copy(report->available.begin(), report->available.end(), now.begin());
  std::copy(report->available.begin(), report->available.end(), future.begin());
  for (const ZonePod& pod : pods) {
    if (!pod.there) continue;
    Times times = times_of(pod);
    for (const ZoneAmount& one : pod.amounts) {
      now[one.cell] = add_to_sum(now[one.cell], -one.amount * times.now);
      future[one.cell] = add_to_sum(future[one.cell], -one.amount * times.future);
    }
  }
  for (size_t cell = 0; cell < now.size(); ++cell) {
    if (report->available[cell] == kUnlisted) continue;
    future[cell] = std::clamp<int64_t>(future[cell], 0, report->allocatable[cell]);
    now[cell] = std::clamp<int64_t>(now[cell], 0, future[cell]);
  }
}

void ZoneBook::purge() {
  std::erase_if(pods, [](const ZonePod& pod) { return !pod.there; });
}

}  // namespace trellis
