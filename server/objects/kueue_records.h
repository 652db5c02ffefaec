// Decoded objects of Kueue, before their references to each other are resolved.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/daemon_set.h"
#include "framework/flavor.h"
#include "framework/shared_value.h"
#include "framework/workload.h"
#include "server/document/place.h"
#include "server/objects/object_key.h"
#include "server/objects/records.h"

namespace trellis {

// The name of another object, and the location of this name in the input.
struct PlacedName {
  StrId name;
  Place at;
};

struct FlavorRecord {
  Meta meta;
  Flavor flavor;
  Place topology;
};

// The entry of a ClusterQueue for an AdmissionCheck.
struct CheckUse {
  PlacedName check;
  std::vector<StrId> flavors;  // that the check applies to; empty: to all
};

struct ClusterQueueRecord {
  Meta meta;
  ClusterQueue queue;
  Place cohort;
  std::vector<PlacedName> flavors;
  std::vector<CheckUse> checks;
};

struct CohortRecord {
  Meta meta;
  Cohort cohort;
  Place parent;
  std::vector<PlacedName> flavors;
};

struct LocalQueueRecord {
  Meta meta;
  LocalQueue queue;
  Place cluster_queue;
};

struct AdmissionCheckRecord {
  Meta meta;
  bool multi_kueue = false;  // its workloads run in other clusters
};

struct DaemonSetRecord {
  Meta meta;
  DaemonSet daemon_set;
};

// The kind of class that a workload's priority comes from.
enum class PrioritySource : uint8_t { Either, WorkloadClasses, PodClasses };

struct WorkloadRecord {
  Meta meta;
  Workload workload;
  std::vector<ObjectKey> owners;
  Place queue;                      // of the name of its LocalQueue
  std::optional<int32_t> priority;  // spec.priority
  PrioritySource priority_source = PrioritySource::Either;
  Place priority_class;
  std::vector<StrId> pod_priority_classes;               // of the templates
  std::vector<SharedValue<PreferenceKeys>> preferences;  // of each PodSet; null: none
  std::vector<SharedValue<PodClaims>> claims;            // of each PodSet; null: none
  std::vector<StrId> ready_checks;                       // admission checks that are Ready
  std::optional<TimeUs> evicted_since;  // kNoTime: unknown since when; nullopt: it is not evicted
  bool made = false;                    // from its owner: no such object was read
  int32_t copy = -1;                    // index among its owner's workloads; -1: the only one
};

struct KueueRecords {
  std::vector<FlavorRecord> flavors;
  std::vector<ClusterQueueRecord> cluster_queues;
  std::vector<CohortRecord> cohorts;
  std::vector<LocalQueueRecord> local_queues;
  std::vector<AdmissionCheckRecord> checks;
  std::vector<PriorityClassRecord> priority_classes;  // WorkloadPriorityClass
  std::vector<WorkloadRecord> workloads;
  // The workloads that owners would make, whether or not they exist already. Once the missing
  // workloads were made, only those that were not made because pods of the owner run already.
  std::vector<WorkloadRecord> of_owners;
  std::vector<DaemonSetRecord> daemon_sets;
};

}  // namespace trellis
