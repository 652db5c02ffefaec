// Which slot of its PodSet's assignment each pod takes.
//
// A slot is the place of one pod. Slots are numbered through the domains in their order, so that
// pods of neighbouring ranks share a domain: the pod of rank r takes slot r. When ranks cannot be
// trusted, free slots are filled in order instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

inline constexpr int32_t kNoRank = -1;
inline constexpr int32_t kNoDomain = -1;

// How the index that a pod bears becomes its rank in the PodSet.
struct RankRule {
  int32_t pods = 0;        // of the PodSet
  int32_t offset = 0;      // the index of rank 0: behind a leader that has index 0, it is 1
  int32_t sub_groups = 0;  // equal parts of the PodSet, each with indices of its own; 0: none
};

// kNoRank of an index that does not fit the rule. `sub_group` is read where there are some.
int32_t rank_of(const RankRule& rule, int32_t index, int32_t sub_group);

struct SlotDomain {
  int32_t slots = 0;    // how many pods are assigned to it
  int32_t taken = 0;    // of them by pods that are not among those asked about
  bool closed = false;  // takes no pod now: its node has failed
};

// A pod that waits for a slot, or holds one: it was let go, or is being let go.
struct SlotPod {
  int32_t rank = kNoRank;
  bool waits = true;
  int32_t domain = kNoDomain;  // of one that holds a slot; kNoDomain: it stands elsewhere
};

// The domain of each pod that waits; kNoDomain of those that must wait on and of the others. Never
// gives a domain more pods than slots are free, nor any to a closed one.
// By rank when every pod has a rank of its own below the number of slots and those that hold a slot
// hold that of their rank. Else the pods that wait fill the free slots, first those with ranks in
// their order, then the others as they come: none waits while a slot is free.
// O(n log n + domains).
std::vector<int32_t> assign_slots(std::span<const SlotDomain> domains,
                                  std::span<const SlotPod> pods);

}  // namespace trellis
