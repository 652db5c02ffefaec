// The input of the cluster: decoded records, names not resolved yet.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/cluster_queue.h"
#include "framework/daemon_set.h"
#include "framework/device_claims.h"
#include "framework/disruption_budget.h"
#include "framework/flavor.h"
#include "framework/gang.h"
#include "framework/name_space.h"
#include "framework/node.h"
#include "framework/node_request.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "framework/reservation.h"
#include "framework/string_table.h"
#include "framework/topology.h"
#include "framework/volumes.h"
#include "framework/workload.h"
#include "session/cluster/shared_spec.h"
#include "session/cluster/sort_large.h"

namespace trellis {

struct PodObject {
  Pod pod;
  SharedSpec spec;
  bool operator==(const PodObject&) const = default;
};

struct Objects {
  std::vector<NameSpace> name_spaces;
  std::vector<Node> nodes;
  std::vector<PodObject> pods;
  std::vector<Gang> gangs;
  std::vector<Queue> queues;
  std::vector<Topology> topologies;
  std::vector<DisruptionBudget> budgets;
  std::vector<NodeRequest> node_requests;
  std::vector<DaemonSet> daemon_sets;
  std::vector<Flavor> flavors;
  std::vector<ClusterQueue> cluster_queues;
  std::vector<Cohort> cohorts;
  std::vector<LocalQueue> local_queues;
  std::vector<Workload> workloads;
  std::vector<Volume> volumes;
  std::vector<StoragePool> storage_pools;
  std::vector<DeviceSlice> device_slices;
  std::vector<DeviceClass> device_classes;
  std::vector<DeviceTaints> device_taints;
  std::vector<DeviceClaim> device_claims;
  std::vector<Reservation> reservations;
};

// A namespace is never removed: the objects in it still belong to it.
struct RemovedObjects {
  struct Named {
    std::string name_space;
    std::string name;
  };
  std::vector<std::string> nodes;
  std::vector<Named> pods;
  std::vector<Named> gangs;
  std::vector<std::string> queues;
  std::vector<std::string> topologies;
  std::vector<Named> budgets;
  std::vector<Named> node_requests;
  std::vector<Named> daemon_sets;
  std::vector<std::string> flavors;
  std::vector<std::string> cluster_queues;
  std::vector<std::string> cohorts;
  std::vector<Named> local_queues;
  std::vector<Named> workloads;
  std::vector<std::string> volumes;
  std::vector<Named> storage_pools;
  std::vector<std::string> device_slices;
  std::vector<std::string> device_classes;
  std::vector<std::string> device_taints;
  std::vector<Named> device_claims;
  std::vector<std::string> reservations;
};

// The changes of a source's objects since the last time. REQUIRES: no object is in both.
struct ObjectChanges {
  Objects upserts;  // new or changed
  RemovedObjects removed;
};

// Calls use(list of Objects, list of RemovedObjects) for each kind but namespaces, which are never
// removed.
template <class Use>
void for_each_kind(Use use) {
  use(&Objects::nodes, &RemovedObjects::nodes);
  use(&Objects::pods, &RemovedObjects::pods);
  use(&Objects::gangs, &RemovedObjects::gangs);
  use(&Objects::queues, &RemovedObjects::queues);
  use(&Objects::topologies, &RemovedObjects::topologies);
  use(&Objects::budgets, &RemovedObjects::budgets);
  use(&Objects::node_requests, &RemovedObjects::node_requests);
  use(&Objects::daemon_sets, &RemovedObjects::daemon_sets);
  use(&Objects::flavors, &RemovedObjects::flavors);
  use(&Objects::cluster_queues, &RemovedObjects::cluster_queues);
  use(&Objects::cohorts, &RemovedObjects::cohorts);
  use(&Objects::local_queues, &RemovedObjects::local_queues);
  use(&Objects::workloads, &RemovedObjects::workloads);
  use(&Objects::volumes, &RemovedObjects::volumes);
  use(&Objects::storage_pools, &RemovedObjects::storage_pools);
  use(&Objects::device_slices, &RemovedObjects::device_slices);
  use(&Objects::device_classes, &RemovedObjects::device_classes);
  use(&Objects::device_taints, &RemovedObjects::device_taints);
  use(&Objects::device_claims, &RemovedObjects::device_claims);
  use(&Objects::reservations, &RemovedObjects::reservations);
  static_assert(sizeof(Objects) == 21 * sizeof(std::vector<Node>), "a kind is missing above");
  static_assert(sizeof(RemovedObjects) == 20 * sizeof(std::vector<Node>));
}

// The key by which objects of a kind are distinguished and sorted: the name, after the namespace if
// there is one.
template <class Object>
auto object_key(const Object& object, const StringTable& strings) {
  if constexpr (requires { object.pod.name; }) {
    return object_key(object.pod, strings);
  } else if constexpr (requires { object.name_space; }) {
    return std::pair(strings.view(object.name_space), std::string_view(object.name));
  } else if constexpr (requires {
                         object.labels;
                         object.name.value;
                       }) {
    return strings.view(object.name);
  } else {
    return std::string_view(object.name);
  }
}

inline void sort_objects(Objects& objects, const StringTable& strings) {
  auto sort = [&](auto& list) {
    auto key = [&](const auto& object) { return object_key(object, strings); };
    sort_large(list, key);
  };
  for_each_kind([&](auto list, auto /*removed*/) { sort(objects.*list); });
  sort(objects.name_spaces);
}

}  // namespace trellis
