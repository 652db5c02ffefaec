// A gang: pods that are placed all or nothing down to a minimum, and its inner structure.
//
// With subgroups, the gang has its minimum when min_member pods are placed and min_subgroup of its
// top subgroups have their minimum. A leaf has its minimum when min_member of its pods are placed;
// an inner subgroup, when min_subgroup of its children have theirs.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"
#include "framework/shared_text.h"
#include "framework/time.h"
#include "framework/topology.h"

namespace trellis {

inline constexpr int32_t kDefaultPriority = 50;

// Consecutive pods that share a domain. Layers go coarse to fine, each size dividing the one
// before; where a size does not divide the number of pods, the last segment is smaller.
struct SegmentLayer {
  int32_t size = 0;  // pods
  StrId required;    // level, as written; kNone: none
  StrId preferred;
  bool operator==(const SegmentLayer&) const = default;
};

inline constexpr size_t kMostSegmentLayers = 3;

// Limits far above the structure of real gangs; the cost of a gang grows with both numbers.
inline constexpr size_t kMostSubgroups = 1024;
inline constexpr size_t kMostSubgroupLevels = 16;  // subgroups inside each other

// What leaves a gang at once when others take its room.
enum class EvictionUnit : uint8_t {
  Surplus,  // a pod above the minimum, or a subgroup that is not needed; else all that is left
  Pod,      // any pod, also below the minimum; a subgroup that leaves whole
  Whole,    // all pods
};

// A named part of a gang. A leaf holds pods; an inner subgroup holds subgroups.
struct Subgroup {
  static constexpr int32_t kAll = -1;

  StrId name;
  int32_t parent = -1;          // index of an earlier subgroup; -1: the gang itself
  int32_t min_member = 1;       // of a leaf: pods
  int32_t min_subgroup = kAll;  // of an inner subgroup: children that must have their minimum
  bool leaves_whole = false;    // its pods are one unit, where the gang's unit is EvictionUnit::Pod
  TopologyConstraint topology;
  std::vector<SegmentLayer> segments;  // of a leaf
  bool operator==(const Subgroup&) const = default;
};

struct Gang {
  StrId name_space;
  SharedText name;
  Maybe<StrId> queue;  // by name; none: the implicit queue without limits
  int32_t min_member = 1;
  int32_t priority = kDefaultPriority;
  bool preemptible = true;
  // With `preemptible`: only what is above the minimum may be preempted, and the minimum counts
  // like that of a gang that is not preemptible.
  bool keeps_minimum = false;
  // A filler: it is served last, leaves first for any other gang, and counts for no queue.
  bool background = false;
  StrId near;  // gangs with the same one are placed near each other, if possible; kNone: not set
  std::optional<bool> movable;     // defragmentation may move it; unset: as its queue says
  bool moves_others = true;        // preemptionPolicy is not Never
  TimeUs preemption_delay_us = 0;  // the gang waits this long before it moves others
  // A gang that fell below its minimum is evicted after this time; negative: never; unset:
  // limits.stalenessGracePeriod.
  std::optional<TimeUs> staleness_grace_us;
  TopologyConstraint topology;
  std::vector<Subgroup> subgroups;  // parents before their children; pods are only in leaves
  int32_t min_subgroup = Subgroup::kAll;
  std::vector<SegmentLayer> segments;  // of a gang without subgroups
  bool balanced = false;               // divided evenly among the fewest domains
  int32_t spares = 0;            // so much room is kept for pods that take the place of lost ones
  TimeUs run_time_us = kNoTime;  // expected, from start to end; kNoTime: not known
  TimeUs created = kNoTime;
  TimeUs started = kNoTime;      // when it last began to run, where that is recorded
  TimeUs stale_since = kNoTime;  // since when it runs below its minimum; kNoTime: it does not
  SharedText uid;
  EvictionUnit eviction_unit = EvictionUnit::Surplus;
  StrId core_group;             // the name of its PodGroup of scheduling.k8s.io; kNone: none
  bool core_leaves = false;     // its leaves are such PodGroups
  bool calls_for_nodes = true;  // its pods may report that more nodes would help them
  // Set by the reader when the gang cannot be understood: it waits with this reason.
  std::vector<Reason> errors;
  bool operator==(const Gang&) const = default;
};

}  // namespace trellis
