// Pods whose owner's controller takes them away by itself once the owner is suspended. One that was
// evicted before would count as failed there, and a Job gives up after a few of those.
#pragma once

#include <cstdint>
#include <set>
#include <string_view>

#include "framework/ids.h"
#include "server/kube/watch/live_objects.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// After its owner was told to suspend.
inline constexpr int64_t kSuspensionMs = 10'000;

// Of the workloads that this cycle takes the room from.
std::set<PodId> pods_of_leaving_workloads(const CycleRecord& record, const Cluster& cluster);

// Whether the pod's owner is of a kind that can be suspended.
bool leaves_by_suspension(const LiveObjects& objects, std::string_view name_space,
                          std::string_view pod);

}  // namespace trellis
