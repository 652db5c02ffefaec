#include "server/simulate/place_names.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "framework/moved_gpus.h"

namespace trellis {

TopologyId PlaceNames::first_topology() const {
  TopologyId first;
  for (uint32_t i = 0; i < cluster_.topologies().size(); ++i) {
    TopologyId id(i);
    if (!cluster_.alive(id)) continue;
    bool before =
        !first.valid() || cluster_.topologies()[id].name < cluster_.topologies()[first].name;
    if (before) first = id;
  }
  return first;
}

std::string PlaceNames::name_of(const Node& node, const std::vector<StrId>& levels) const {
  std::string name;
  for (StrId level : levels) {
    StrId value = find_label(node.labels, level);
    if (!value.valid()) return node.name;
    if (!name.empty()) name += "/";
    name += cluster_.vocabulary().strings.view(value);
  }
  return name.empty() ? node.name : name;
}

PlaceNames::Map PlaceNames::make_map(TopologyId topology) {
  const StringTable& strings = cluster_.vocabulary().strings;
  std::vector<StrId> levels;
  if (topology.valid()) {
    for (const TopologyLevel& level : cluster_.topologies()[topology].levels) {
      if (strings.view(level.label) != kHostname) levels.push_back(level.label);
    }
  }
  Map map;
  map.domain = IndexedVector<NodeId, uint32_t>(cluster_.nodes().size());
  absl::flat_hash_map<uint32_t, int64_t> gpu_milli;
  for (NodeId id : cluster_.nodes_by_name()) {
    const Node& node = cluster_.nodes()[id];
    auto [number, fresh] =
        numbers_.try_emplace(name_of(node, levels), static_cast<uint32_t>(names_.size()));
    if (fresh) names_.push_back(number->first);
    map.domain[id] = number->second;
    gpu_milli[number->second] += node.allocatable.get(kGpu) + node.allocatable.get(kAmdGpu);
  }
  for (const auto& [domain, amount] : gpu_milli) map.gpu_milli.push_back(amount);
  std::ranges::sort(map.gpu_milli, std::greater<>());
  for (size_t i = 1; i < map.gpu_milli.size(); ++i) map.gpu_milli[i] += map.gpu_milli[i - 1];
  return map;
}

const PlaceNames::Map& PlaceNames::map_of(GangId gang) {
  const StringTable& strings = cluster_.vocabulary().strings;
  StrId named = cluster_.gangs()[gang].topology.topology;
  TopologyId topology =
      named.valid() ? cluster_.find_topology(strings.view(named)) : first_topology();
  auto [found, fresh] = maps_.try_emplace(topology);
  if (fresh) found->second = make_map(topology);
  return found->second;
}

GangPlaces PlaceNames::places_of(GangId gang) {
  const Map& map = map_of(gang);
  GangPlaces places;
  int64_t gpu_milli = 0;
  for (PodId pod : cluster_.pods_of(gang)) {
    const PodSlot& slot = cluster_.pods()[pod];
    if (!slot.node.valid()) continue;
    gpu_milli += held_gpu_milli(cluster_.pod_classes()[slot.pod_class]);
    places.domains.push_back(map.domain[slot.node]);
  }
  std::ranges::sort(places.domains, {}, [&](uint32_t number) { return names_[number]; });
  places.domains.erase(std::unique(places.domains.begin(), places.domains.end()),
                       places.domains.end());
  auto enough = std::ranges::lower_bound(map.gpu_milli, gpu_milli);
  places.fewest = static_cast<int32_t>(enough - map.gpu_milli.begin()) + 1;
  places.fewest = std::min(places.fewest, static_cast<int32_t>(places.domains.size()));
  return places;
}

}  // namespace trellis
