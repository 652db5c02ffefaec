// A workload (kueue.x-k8s.io Workload): PodSets that are admitted all or nothing.
//
// Words: a PodSet is a number of equal pods; a PodSet *group* is workers and their leader, which
// share a domain; an *assignment* gives the number of pods of a PodSet for each domain; a *slot* is
// the room for one of them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/pod.h"
#include "framework/reason.h"
#include "framework/time.h"

namespace trellis {

struct TopologyRequest {
  StrId required;   // level, by its label
  StrId preferred;  // level, by its label
  bool unconstrained = false;
  bool balanced = false;               // preferred: as even as possible over the fewest domains
  StrId group;                         // podSetGroupName
  std::vector<SegmentLayer> segments;  // Kueue's slices: size and required level, outermost first
  StrId index_label;                   // podIndexLabel: the rank of a pod in its PodSet
  StrId sub_group_label;               // subGroupIndexLabel
  int32_t sub_groups = 0;              // subGroupCount
  int32_t index_offset = 0;            // the first pod's index
  bool empty() const {
    return !required.valid() && !preferred.valid() && !unconstrained && segments.empty();
  }
  bool operator==(const TopologyRequest&) const = default;
};

struct PodSet {
  StrId name;
  PodSpec spec;   // of each pod, without what a flavor adds
  Labels labels;  // of its template
  int32_t count = 1;
  std::optional<int32_t> min_count;  // fewest pods that it may be admitted with
  TopologyRequest topology;
  bool operator==(const PodSet&) const = default;
};

// Pods by domain, in order of the whole path. With hostnames as the lowest level a domain's values
// are the hostname alone, unless two nodes of the topology share it.
struct TopologyAssignment {
  std::vector<StrId> levels;    // labels
  std::vector<StrId> values;    // levels.size() for each domain
  std::vector<int32_t> counts;  // by domain
  size_t size() const { return counts.size(); }
  bool operator==(const TopologyAssignment&) const = default;
};

struct PodSetAdmission {
  StrId name;
  std::vector<std::pair<ResourceId, StrId>> flavors;  // in order of the resource id
  ResourceList usage;                                 // of all its pods
  int32_t count = 0;
  std::optional<TopologyAssignment> topology;
  bool delayed_topology = false;  // it waits for admission checks
  bool operator==(const PodSetAdmission&) const = default;
};

struct Admission {
  StrId cluster_queue;
  std::vector<PodSetAdmission> pod_sets;  // as Workload::pod_sets
  TimeUs reserved_at = kNoTime;           // since when it has its quota
  bool operator==(const Admission&) const = default;
};

// Whether some PodSet still waits for its topology assignment.
bool lacks_topology(const Admission& admission);

// Whether the pods of an admitted workload are ready.
enum class PodsReady : uint8_t { Unknown, Waiting, Ready };

struct Workload {
  StrId name_space;
  std::string name;
  std::string uid;
  StrId queue;             // LocalQueue, by name
  bool active = true;      // spec.active
  bool timed_out = false;  // its last eviction: its pods were not ready in time
  int32_t priority = 0;
  StrId priority_class;
  TimeUs created = kNoTime;
  TimeUs queued = kNoTime;  // its time in the queue order: when created, evicted or requeued
  std::vector<PodSet> pod_sets;
  std::optional<Admission> admission;
  bool movable = false;               // its owner allows that it moves while it is admitted
  std::optional<Admission> promised;  // its next place, kept for it until others have left
  bool finished = false;
  bool failed = false;          // it finished with a failure
  bool checks_pending = false;  // admission checks that are not Ready
  PodsReady pods_ready = PodsReady::Unknown;
  bool ever_ready = false;            // its pods were ready before, in this admission
  int32_t requeues = 0;               // how often its pods were not ready in time
  TimeUs pods_ready_since = kNoTime;  // since when `pods_ready` is so
  TimeUs requeue_at = kNoTime;        // it stays out of its queue until then
  std::vector<std::pair<StrId, int32_t>> reclaimable;  // PodSet: pods that need no room any more
  std::vector<std::string> unhealthy_nodes;
  // Set by the reader when the workload cannot be understood: it waits with these reasons.
  std::vector<Reason> errors;
  bool operator==(const Workload&) const = default;
};

// Whether the workload's pods may take what it was given.
inline bool may_start(const Workload& workload) {
  return workload.admission && workload.active && !workload.finished && !workload.checks_pending;
}

// Whether its queue passes over the workload for now.
inline bool backs_off(const Workload& workload, TimeUs now) {
  return workload.requeue_at != kNoTime && workload.requeue_at > now;
}

// When its pods must have become ready; kNoTime: never.
TimeUs pods_ready_deadline(const Workload& workload, const WaitForPodsReady& settings);

}  // namespace trellis
