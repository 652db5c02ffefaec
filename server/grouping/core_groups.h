// What PodGroups and CompositePodGroups of Kubernetes' own specify beside other gangs.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "framework/gang.h"
#include "server/document/report.h"
#include "server/grouping/priorities.h"
#include "server/objects/records.h"

namespace trellis {

// The number in the group's spec, which an API server copies from its class. API servers write 0
// where no class gives one: such a 0 does not count. nullopt: none, or the group is KAI's.
std::optional<int32_t> core_priority(const PodGroupRecord& group, const Priorities& priorities);

// Warns of the first pod that names another priority than its group, which kube-scheduler would
// refuse; finished pods do not count.
void warn_of_other_priority(std::span<PodRecord* const> pods, int32_t priority,
                            const Priorities& priorities, Report& report);

// Sets what leaves the gang at once, whether it moves others, and its PodGroups. Nothing evicts a
// gang because it runs below its minimum where its pods leave one by one. Does nothing for KAI's.
void set_core_fields(const PodGroupRecord& group, Gang& gang);

}  // namespace trellis
