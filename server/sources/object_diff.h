// The changes of a source's objects between two readings.
//
// A changed pod whose demands and place are as before keeps the place that the cluster has given it
// since; a gang likewise keeps the times that cycles have given it. `keep_places` copies both from
// the cluster into the change. A new pod of the same name, with another uid, keeps nothing.
// Cost: O(objects), by comparing sorted lists.
#pragma once

#include <vector>

#include "framework/string_table.h"
#include "session/cluster/cluster.h"
#include "session/cluster/objects.h"

namespace trellis {

// A workload of changes.upserts.workloads that keeps `active` as in the cluster, where a cycle may
// have deactivated it.
struct StayingWorkload {
  size_t index;
  bool promise;    // it keeps the place that it was promised
  bool admission;  // it keeps the admission that the cluster gave it
  bool readiness;  // it keeps the readiness of its pods
  bool turn;       // it keeps its turn in the queue
};

struct ObjectDiff {
  ObjectChanges changes;
  std::vector<size_t> staying;        // in changes.upserts.pods: pods that keep their places
  std::vector<size_t> staying_gangs;  // in changes.upserts.gangs: gangs that keep their times
  std::vector<StayingWorkload> staying_workloads;
  std::vector<size_t> staying_claims;  // in changes.upserts.device_claims: they keep their devices
  bool empty() const;
};

// REQUIRES: both are sorted as a Manifest's are.
ObjectDiff diff_objects(const Objects& before, const Objects& after, const StringTable& strings);
// The same, with the objects themselves: `after` is of no use any more.
ObjectDiff diff_objects(const Objects& before, Objects&& after, const StringTable& strings);

// Objects about which an assumption of the cluster was wrong.
struct Forgotten {
  std::vector<RemovedObjects::Named> pods;
  std::vector<RemovedObjects::Named> workloads;
  std::vector<RemovedObjects::Named> claims;  // ResourceClaims
  bool everything = false;                    // all assumptions about any object
  bool empty() const { return pods.empty() && workloads.empty() && claims.empty() && !everything; }
};

// Re-emits these objects as read, dropping any state that the scheduler assumed. REQUIRES: `now` is
// the reading that `diff` led to.
void forget(ObjectDiff& diff, const Objects& now, Forgotten forgotten, const StringTable& strings);

// Copies the places, times and workload states that stay from the cluster into `diff`. `strings`:
// the table of `diff`, which may be the cluster's own or another one; ids of resources must be the
// same in both.
void keep_places(ObjectDiff& diff, const Cluster& cluster, StringTable& strings);

// Copies the pods that have left the nodes since their reports from the cluster, for a cluster that
// has none of these nodes yet. Ids of resources must be the same in both.
void keep_zone_leavers(Objects& objects, const Cluster& cluster);

// A diff that adds all objects, for another cluster; all of them keep the state that keep_places
// copies.
ObjectDiff all_staying(Objects objects);

}  // namespace trellis
