// Assigns the slots of a PodSet's assignment to its pods.
//
// A slot is room for one pod. Slots are numbered through the domains in their order, so that
// pods of neighbouring ranks share a domain: the pod of rank r takes slot r. When ranks cannot be
// trusted, free slots are filled in order instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/string_table.h"
#include "framework/workload.h"

namespace trellis {

// The order of the domains in an assignment: by path, level by level, as bytes of the names. It is
// Kueue's, and decides which rank goes where.

// O(n) when they are in order, else O(n log n).
void sort_domains(TopologyAssignment& assignment, const StringTable& strings);

inline constexpr int32_t kNoRank = -1;
inline constexpr int32_t kNoDomain = -1;

// How the index of a pod becomes its rank in the PodSet.
struct RankRule {
  int32_t pods = 0;        // of the PodSet
  int32_t offset = 0;      // the index of rank 0: behind a leader that has index 0, it is 1
  int32_t sub_groups = 0;  // equal parts of the PodSet, each with indices of its own; 0: none
};

// kNoRank for an index that does not fit the rule. `sub_group` is read where the PodSet has
// sub-groups.
int32_t rank_of(const RankRule& rule, int32_t index, int32_t sub_group);

struct SlotDomain {
  int32_t slots = 0;    // how many pods are assigned to it
  int32_t taken = 0;    // of these slots: taken by pods that are not in the query
  bool closed = false;  // takes no pod now: its node has failed
};

// A pod that waits for a slot, or holds one: it was let go, or is being let go.
struct SlotPod {
  int32_t rank = kNoRank;
  bool waits = true;
  int32_t domain = kNoDomain;  // of a pod that holds a slot; kNoDomain: it is elsewhere
};

// The domain of each waiting pod; kNoDomain for pods that must wait on and for pods that do not
// wait. Never gives a domain more pods than it has free slots, nor any pod to a closed domain. By
// rank when every pod has a rank of its own below the number of slots and the pods that hold a slot
// hold that of their rank. Else the waiting pods fill the free slots, first pods with ranks in
// their order, then the others in the given order: no pod waits while a slot is free. Cost: O(n log
// n + domains).
std::vector<int32_t> assign_slots(std::span<const SlotDomain> domains,
                                  std::span<const SlotPod> pods);

}  // namespace trellis
