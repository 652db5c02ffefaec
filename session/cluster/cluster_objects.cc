#include "session/cluster/cluster_objects.h"

#include <vector>

#include "framework/indexed_vector.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

template <class Id, class Record>
std::vector<Record> live_records(const Cluster& cluster, const IndexedVector<Id, Record>& all) {
  std::vector<Record> records;
  records.reserve(all.size());
  for (Id id(0U); id.value < all.size(); ++id.value) {
    if (cluster.alive(id)) records.push_back(all[id]);
  }
  return records;
}

template <class Id, class Record>
std::vector<Record> live_records(const NamedTable<Id, Record>& table) {
  std::vector<Record> records;
  for (Id id : table.live()) records.push_back(table[id]);
  return records;
}

template <class Map>
std::vector<typename Map::mapped_type> records_of(const Map& by_name) {
  std::vector<typename Map::mapped_type> records;
  records.reserve(by_name.size());
  for (const auto& [name, record] : by_name) records.push_back(record);
  return records;
}

// What other pods' terms select is found again by the cluster that takes the pods.
std::vector<PodObject> pods_of(const Cluster& cluster) {
  IndexedVector<PodClassId, SharedSpec> specs;
  specs.resize(cluster.pod_classes().size());
  std::vector<PodObject> pods;
  pods.reserve(cluster.pods().size());
  for (PodId id(0U); id.value < cluster.pods().size(); ++id.value) {
    if (!cluster.alive(id)) continue;
    const PodSlot& slot = cluster.pods()[id];
    SharedSpec& spec = specs[slot.pod_class];
    if (spec.identity() == nullptr) {
      PodSpec own = cluster.pod_classes()[slot.pod_class];
      own.matched.clear();
      spec = SharedSpec(std::move(own));
    }
    pods.push_back({slot.pod, spec});
  }
  return pods;
}

}  // namespace

Objects objects_of(const Cluster& cluster) {
  const WorkloadRecords& workloads = cluster.workloads();
  const Storage& storage = cluster.storage();
  const DeviceStock& devices = cluster.devices();
  return {.name_spaces = cluster.name_spaces(),
          .nodes = live_records(cluster, cluster.nodes()),
          .pods = pods_of(cluster),
          .gangs = live_records(cluster, cluster.gangs()),
          .queues = live_records(cluster, cluster.queues()),
          .topologies = live_records(cluster, cluster.topologies()),
          .budgets = live_records(cluster, cluster.budgets()),
          .node_requests = live_records(cluster, cluster.node_requests()),
          .daemon_sets = live_records(workloads.daemon_sets()),
          .flavors = live_records(workloads.flavors()),
          .cluster_queues = live_records(workloads.cluster_queues()),
          .cohorts = live_records(workloads.cohorts()),
          .local_queues = live_records(workloads.local_queues()),
          .workloads = live_records(workloads.workloads()),
          .volumes = records_of(storage.volumes),
          .storage_pools = records_of(storage.pools),
          .device_slices = records_of(devices.slices),
          .device_classes = records_of(devices.classes),
          .device_taints = records_of(devices.taints),
          .device_claims = records_of(devices.claims),
          .reservations = records_of(cluster.reservations())};
}

}  // namespace trellis
