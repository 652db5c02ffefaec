// The changes of a source's objects between two readings.
//
// A pod that changed in other things than its demands and its place keeps the place that the
// cluster has given it since, and a gang the times that cycles have given it: `keep_places` says so
// to the cluster that applies the change. Another pod of the same name (by its uid) keeps nothing.
// Cost: O(objects), by comparing sorted lists.
#pragma once

#include <vector>

#include "framework/string_table.h"
#include "session/cluster/cluster.h"
#include "session/cluster/objects.h"

namespace trellis {

// Of changes.upserts.workloads: one that stays as inactive as a cycle has made it.
struct StayingWorkload {
  size_t index;
  bool admission;  // and keeps the admission that the cluster gave it
  bool readiness;  // and what its pods have come to
  bool turn;       // and its turn in the queue
};

struct ObjectDiff {
  ObjectChanges changes;
  std::vector<size_t> staying;        // of changes.upserts.pods: those that keep their places
  std::vector<size_t> staying_gangs;  // of changes.upserts.gangs: those that keep their times
  std::vector<StayingWorkload> staying_workloads;
  bool empty() const;
};

// REQUIRES: both are sorted as a Manifest's are.
ObjectDiff diff_objects(const Objects& before, const Objects& after, const StringTable& strings);

// Objects that the cluster took for something else than they say.
struct Forgotten {
  std::vector<RemovedObjects::Named> pods;
  std::vector<RemovedObjects::Named> workloads;
  bool everything = false;  // whatever was assumed of anything
  bool empty() const { return pods.empty() && workloads.empty() && !everything; }
};

// Re-emits these objects as read, dropping any state that the scheduler assumed. REQUIRES: `now` is
// the reading that `diff` led to.
void forget(ObjectDiff& diff, const Objects& now, Forgotten forgotten, const StringTable& strings);

// Gives what stays the places and times that it has in the cluster. `strings`: those of `diff`, be
// they the cluster's own or others; ids of resources must be the same.
void keep_places(ObjectDiff& diff, const Cluster& cluster, StringTable& strings);

// As if they had just come, and yet stay as the cluster knows them: for another cluster.
ObjectDiff all_staying(Objects objects);

}  // namespace trellis
