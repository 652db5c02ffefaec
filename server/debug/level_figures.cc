#include "server/debug/level_figures.h"

#include <algorithm>
#include <string>
#include <utility>

#include "server/view/object_names.h"

namespace trellis {
namespace {

// The free room of one domain, with the domains below it.
struct FreeRoom {
  int64_t gpus = 0;   // whole devices that are idle
  int64_t nodes = 0;  // nodes that are not closed, with GPUs that are all idle
};

IndexedVector<DomainId, FreeRoom> free_rooms(const CycleView& view, TopologyId topology) {
  const Session& session = view.session();
  const TopologyTree& tree = session.snapshot().trees()[topology];
  const NodeState& state = session.snapshot().state();
  IndexedVector<DomainId, FreeRoom> rooms(tree.domain_count());
  for (NodeId node : tree.node_order()) {
    if (is_closed(view.cluster().nodes()[node])) continue;
    int64_t idle = 0;
    int64_t all = 0;
    for (ResourceId gpu : {kGpu, kAmdGpu}) {
      idle += std::max<int64_t>(0, state.now[gpu][node]) / kMilli;
      all += state.allocatable[gpu][node] / kMilli;
    }
    FreeRoom& room = rooms[tree.domain_of(node)];
    room.gpus += idle;
    room.nodes += all > 0 && idle == all ? 1 : 0;
  }
  // Children come before their parents.
  for (uint32_t i = 0; i < tree.domain_count(); ++i) {
    DomainId parent = tree.parent(DomainId(i));
    if (!parent.valid()) continue;
    rooms[parent].gpus += rooms[DomainId(i)].gpus;
    rooms[parent].nodes += rooms[DomainId(i)].nodes;
  }
  return rooms;
}

LevelFigures measure_level(CycleView& view, TopologyId topology, int level,
                           const IndexedVector<DomainId, FreeRoom>& rooms) {
  const Topology& record = view.cluster().topologies()[topology];
  const Vocabulary& vocabulary = view.cluster().vocabulary();
  const DomainUsage& usage = view.usage(topology);
  IdRange domains = view.session().snapshot().trees()[topology].level(level);
  LevelFigures figures{
      .topology = record.name,
      .level =
          std::string(vocabulary.strings.view(record.levels[static_cast<size_t>(level)].label))};
  for (uint32_t i = domains.first; i < domains.last; ++i) {
    figures.largest_gang_gpus = std::max(figures.largest_gang_gpus, rooms[DomainId(i)].gpus);
    figures.largest_gang_nodes = std::max(figures.largest_gang_nodes, rooms[DomainId(i)].nodes);
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
    IndexedVector<DomainId, FreeRoom> rooms = free_rooms(view, topology);
    auto count = static_cast<int>(view.cluster().topologies()[topology].levels.size());
    for (int level = 0; level < count; ++level) {
      levels.push_back(measure_level(view, topology, level, rooms));
    }
  }
  return levels;
}

}  // namespace trellis
