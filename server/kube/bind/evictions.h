// Evictions of pods: the sentence that explains to a pod's users why it is evicted, in the pod's
// condition and in Events; and the pods that need no eviction.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "framework/ids.h"
#include "framework/pod.h"
#include "framework/string_table.h"
#include "server/kube/bind/pod_write.h"
#include "server/kube/watch/live_objects.h"
#include "session/cluster/cluster.h"
#include "session/record/record.h"

namespace trellis {

// Whether this action evicts pods because their gang ran below its minimum for too long.
bool is_of_stale_gang(std::string_view action);

// Returns one sentence, with the gang or workload that the eviction makes room for.
std::string eviction_note(const Cluster& cluster, const Decision& eviction);

// Pods that need no eviction: their owner's controller removes them once the owner is suspended. A
// pod that is evicted before that would count as failed there, and a Job gives up after a few
// failed pods.

// The time that a pod has to leave by itself after the decision; then it is evicted.
inline constexpr int64_t kSuspensionMs = 10'000;

// The pods of the workloads that this cycle evicts.
std::set<PodId> pods_of_leaving_workloads(const CycleRecord& record, const Cluster& cluster);

// The eviction of a pod that leaves with its workload (server/grouping/link_workloads.h) although
// it is not deleted yet: the service that decided so has ended before. nullopt: any other pod.
// The pod has the same time to leave by itself, whatever its owner.
std::optional<PodWrite> unfinished_eviction(const LiveObjects& objects, const Pod& pod,
                                            const StringTable& strings);

// Whether the pod's owner is of a kind that can be suspended.
bool leaves_by_suspension(const LiveObjects& objects, std::string_view name_space,
                          std::string_view pod);

}  // namespace trellis
