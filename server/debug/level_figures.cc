#include "server/debug/level_figures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/view/object_names.h"
#include "server/wording/reason_parts.h"
#include "session/explain/nodes_wanted.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

// Nodes of each domain that are not closed, with GPUs that are all idle.
IndexedVector<DomainId, int64_t> free_nodes(const CycleView& view, TopologyId topology) {
  const Session& session = view.session();
  const TopologyTree& tree = session.snapshot().trees()[topology];
  const NodeState& state = session.snapshot().state();
  IndexedVector<DomainId, int64_t> nodes(tree.domain_count());
  for (NodeId node : tree.node_order()) {
    if (is_closed(view.cluster().nodes()[node])) continue;
    int64_t idle = 0;
    int64_t all = 0;
    for (ResourceId gpu : {kGpu, kAmdGpu}) {
      idle += std::max<int64_t>(0, state.now[gpu][node]) / kMilli;
      all += state.allocatable[gpu][node] / kMilli;
    }
    nodes[tree.domain_of(node)] += all > 0 && idle == all ? 1 : 0;
  }
  // Children come before their parents.
  for (uint32_t i = 0; i < tree.domain_count(); ++i) {
    DomainId parent = tree.parent(DomainId(i));
    if (parent.valid()) nodes[parent] += nodes[DomainId(i)];
  }
  return nodes;
}

int64_t largest_gang_milli(CycleView& view, TopologyId topology, int level) {
  const TopologyTree& tree = view.session().snapshot().trees()[topology];
  for (const LargestGang& largest : view.gpus().largest) {
    bool here = largest.domain.topology == topology;
    if (here && tree.level_of(largest.domain.domain) == level) return largest.gpu_milli;
  }
  return 0;
}

LevelFigures measure_level(CycleView& view, TopologyId topology, int level,
                           const IndexedVector<DomainId, int64_t>& nodes) {
  const Topology& record = view.cluster().topologies()[topology];
  const Vocabulary& vocabulary = view.cluster().vocabulary();
  const DomainUsage& usage = view.usage(topology);
  IdRange domains = view.session().snapshot().trees()[topology].level(level);
  LevelFigures figures{
      .topology = record.name,
      .level =
          std::string(vocabulary.strings.view(record.levels[static_cast<size_t>(level)].label))};
  figures.largest_gang_milli = largest_gang_milli(view, topology, level);
  for (uint32_t i = domains.first; i < domains.last; ++i) {
    figures.largest_gang_nodes = std::max(figures.largest_gang_nodes, nodes[DomainId(i)]);
  }
  for (uint32_t r = 0; r < usage.available.size(); ++r) {
    ResourceId resource(r);
    int64_t used = 0;
    int64_t free = 0;
    for (uint32_t i = domains.first; i < domains.last; ++i) {
      used = add_to_sum(used, usage.allocated[resource][DomainId(i)]);
      free = add_to_sum(free, usage.available[resource][DomainId(i)]);
      free = add_to_sum(free, usage.unavailable[resource][DomainId(i)]);
    }
    if (used + free == 0) continue;
    figures.resources.push_back({.resource = vocabulary.resources.name(resource),
                                 .unit = vocabulary.resources.unit(resource),
                                 .allocatable = used + free,
                                 .used = used});
  }
  return figures;
}

}  // namespace

std::vector<LevelFigures> measure_levels(CycleView& view) {
  std::vector<LevelFigures> levels;
  for (const std::string& name : topology_names(view.cluster())) {
    TopologyId topology = view.cluster().find_topology(name);
    IndexedVector<DomainId, int64_t> nodes = free_nodes(view, topology);
    auto count = static_cast<int>(view.cluster().topologies()[topology].levels.size());
    for (int level = 0; level < count; ++level) {
      levels.push_back(measure_level(view, topology, level, nodes));
    }
  }
  return levels;
}

std::vector<std::pair<std::string, int64_t>> measure_pending_workloads(CycleView& view) {
  std::vector<std::pair<std::string, int64_t>> counts;
  for (const WaitingCount& count : view.waiting().counts) {
    if (count.workloads > 0) counts.emplace_back(std::string(count.code), count.workloads);
  }
  return counts;
}

std::vector<NodesWantedFigures> measure_nodes_wanted(CycleView& view) {
  const Cluster& cluster = view.cluster();
  std::vector<NodesWantedFigures> figures;
  for (const NodesWanted& wanted : nodes_wanted(view.session(), view.record())) {
    const PodSpec& spec = cluster.pod_classes()[wanted.pod_class];
    std::string domain = wanted.topology;
    for (const std::string& part : wanted.domain) domain += "/" + part;
    figures.push_back({people_amounts_text(cluster.vocabulary().resources, asked_by(spec)),
                       std::move(domain), wanted.nodes});
  }
  return figures;
}

std::vector<DeviceFigures> measure_devices(CycleView& view) {
  std::vector<DeviceFigures> figures;
  const DeviceAllocator* allocator = view.session().hooks().device_allocator;
  if (allocator == nullptr) return figures;
  for (DriverDevices& driver : allocator->devices_by_driver()) {
    figures.push_back({std::move(driver.driver), driver.devices, driver.held, driver.overlapping,
                       driver.tainted});
  }
  return figures;
}

GpuFigures measure_gpus(CycleView& view) {
  const GpuReport& report = view.gpus();
  GpuFigures figures{.free = report.free, .fragmentation = report.fragmentation};
  for (size_t i = 0; i < kStrandCauses; ++i) {
    figures.stranded.emplace_back(to_string(static_cast<StrandCause>(i)), report.stranded[i]);
  }
  return figures;
}

}  // namespace trellis
