// Which domain of its PodSet's assignment each gated pod is let go to: Kueue's labels and the pods'
// nodes, put to `assign_slots`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/selectors.h"
#include "framework/string_table.h"
#include "framework/workload.h"
#include "session/workload_slots.h"

namespace trellis {

// A pod of the PodSet that has not finished.
struct PodOfSet {
  std::string_view uid;
  std::span<const Label> labels;
  bool gated = false;                    // the topology gate is on it
  std::span<const Label> node_selector;  // of one that is not gated: where it was let go to,
  std::span<const Label> node_labels;    // or else stands
};

// An ungating that was sent and is neither seen nor failed. Its pod holds the slot.
struct SentUngating {
  std::string_view uid;
  int32_t domain = kNoDomain;
};

struct PodSetSlots {
  const TopologyAssignment& assignment;
  const TopologyRequest& request;  // says which labels bear the ranks
  int32_t pods = 0;                // that were admitted
  int32_t leaders = 0;             // of workers in a group: the leader has the ranks before theirs
  int32_t index_offset = 0;        // kueue.x-k8s.io/pod-index-offset
  // Domains that take no pod now, as their nodes have failed.
  std::span<const int32_t> closed = {};
};

// For each pod its domain in the assignment; kNoDomain when it is not gated, was let go already, or
// must wait. A pod with a later uid comes later where nothing else decides. O(n log n).
std::vector<int32_t> slots_of_pods(const PodSetSlots& set, std::span<const PodOfSet> pods,
                                   std::span<const SentUngating> sent, const StringTable& strings);

}  // namespace trellis
