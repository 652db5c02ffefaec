#include "server/view/object_names.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "server/view/name_search.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

std::string joined(std::string_view topology, std::span<const std::string> path) {
  std::string text(topology);
  for (const std::string& value : path) text += "/" + value;
  return text;
}

// The full names of all domains below the topology's root.
std::vector<std::string> domain_names(const Session& session, TopologyId topology) {
  const TopologyTree& tree = session.snapshot().trees()[topology];
  std::vector<std::string> names;
  for (uint32_t id = 0; id + 1 < tree.domain_count(); ++id) {
    DomainName name = name_of(session, {topology, DomainId(id)});
    names.push_back(joined(name.topology, name.path));
  }
  return names;
}

// The names of the existing records; an unused slot of the table has no name.
template <class Table>
std::vector<std::string> sorted_names(const Table& records) {
  std::vector<std::string> names;
  for (const auto& record : records) {
    if (!record.name.empty()) names.push_back(record.name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::vector<std::string> pod_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (PodId pod : cluster.pods_by_name()) names.push_back(full_name(cluster, pod));
  return names;
}

std::vector<std::string> gang_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (GangId gang : cluster.gangs_by_name()) names.push_back(full_name(cluster, gang));
  return names;
}

std::vector<std::string> node_names(const Cluster& cluster) {
  std::vector<std::string> names;
  for (NodeId node : cluster.nodes_by_name()) names.push_back(cluster.nodes()[node].name);
  return names;
}

std::vector<std::string> domain_names(const Session& session) {
  std::vector<std::string> names;
  for (const std::string& topology : topology_names(session.cluster())) {
    names.push_back(topology);
    TopologyId id = session.cluster().find_topology(topology);
    for (std::string& name : domain_names(session, id)) names.push_back(std::move(name));
  }
  return names;
}

std::vector<std::string> topology_names(const Cluster& cluster) {
  return sorted_names(cluster.topologies());
}

std::vector<std::string> queue_names(const Cluster& cluster) {
  return sorted_names(cluster.queues());
}

std::vector<std::string> cluster_queue_names(const Cluster& cluster) {
  return sorted_names(cluster.workloads().cluster_queues().all());
}

std::vector<std::string> workload_names(const Cluster& cluster) {
  std::vector<std::string> names;
  const WorkloadRecords& records = cluster.workloads();
  for (WorkloadId id : records.by_name(cluster.vocabulary().strings)) {
    names.push_back(full_name(cluster, records[id].name_space, records[id].name));
  }
  return names;
}

FoundDomain find_domain_by_name(const Session& session, const std::string& topology,
                                std::span<const std::string> path) {
  FoundDomain found;
  TopologyId id = session.cluster().find_topology(topology);
  if (!id.valid()) {
    found.error = no_such("topology", topology, topology_names(session.cluster()));
    return found;
  }
  std::vector<std::string_view> values(path.begin(), path.end());
  found.domain = {id, find_domain(session, id, values)};
  if (!found.domain.domain.valid()) {
    found.error = no_such("domain", joined(topology, path), domain_names(session, id));
  }
  return found;
}

}  // namespace trellis
