#include "server/grouping/gang_run_time.h"

#include <algorithm>

#include "server/objects/run_time.h"

namespace trellis {
namespace {

// kNoTime: some pod has none.
TimeUs longest_deadline(const GangDraft& draft) {
  TimeUs longest = kNoTime;
  for (const PodRecord* pod : draft.pods) {
    if (pod->deadline_us == kNoTime) return kNoTime;
    longest = std::max(longest, pod->deadline_us);
  }
  return longest;
}

}  // namespace

TimeUs expected_run_time(const GangDraft& draft, std::span<const OwnerChain* const> chains) {
  TimeUs run_time = longest_deadline(draft);
  auto take = [&](TimeUs other) { run_time = shorter_run(run_time, other); };
  if (draft.group != nullptr) take(draft.group->keys.run_time_us);
  for (const OwnerChain* chain : chains) {
    for (const OwnerRecord* owner : chain->objects) {
      take(owner->keys.run_time_us);
      take(owner->of_template.run_time_us);
      if (owner->job != nullptr) take(owner->job->deadline_us);
    }
  }
  for (const PodRecord* pod : draft.pods) take(pod->keys.run_time_us);
  return run_time;
}

}  // namespace trellis
