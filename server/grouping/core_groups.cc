#include "server/grouping/core_groups.h"

#include <string>

namespace trellis {

std::optional<int32_t> core_priority(const PodGroupRecord& group, const Priorities& priorities) {
  if (!group.core) return std::nullopt;
  bool by_default = group.core->priority == 0 && !priorities.global_default();
  return by_default ? std::nullopt : group.core->priority;
}

void warn_of_other_priority(std::span<PodRecord* const> pods, int32_t priority,
                            const Priorities& priorities, Report& report) {
  for (const PodRecord* pod : pods) {
    std::optional<int32_t> own = priorities.of_pod(*pod);
    if (!own) own = priorities.find(pod->priority_class);
    if (!own || *own == priority || has_finished(pod->object.pod.status)) continue;
    report.warning(
        Place{pod->meta.pos, ""},
        {"priority " + std::to_string(*own) + " in a group of priority " + std::to_string(priority),
         "the group's, which counts", ""});
    return;
  }
}

void set_core_fields(const PodGroupRecord& group, Gang& gang) {
  if (!group.core) return;
  bool own = !group.core->inner && !group.core->of_job;
  if (own) gang.core_group = group.meta.key.name;
  gang.core_leaves = group.core->inner;
  gang.moves_others = gang.moves_others && group.core->moves_others;
  gang.eviction_unit = group.core->leaves_whole ? EvictionUnit::Whole : EvictionUnit::Pod;
  if (!group.core->leaves_whole) gang.staleness_grace_us = -1;
}

}  // namespace trellis
