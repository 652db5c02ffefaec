#include "plugins/numa/zone_needs.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace trellis {
namespace {

bool node_lists(const ResourceList& allocatable, const NumaRequest& request) {
  return request.resource == kCpu || request.resource == kMemory || request.resource == kPods ||
         request.kind == NumaKind::Storage || allocatable.get(request.resource) > 0;
}

bool some_zone_lists(const NumaTopology& topology, ResourceId resource, ZoneMask counted) {
  int column = topology.column(resource);
  if (column < 0) return false;
  if (counted == topology.all()) return true;
  size_t count = topology.zones.size();
  for (size_t zone = 0; zone < count; ++zone) {
    bool counts = (counted >> zone & 1) != 0;
    if (counts && topology.available[static_cast<size_t>(column) * count + zone] >= 0) return true;
  }
  return false;
}

bool may_be_in_no_zone(const NumaRequest& request, const NumaTopology& topology, ZoneMask counted,
                       NumaRules rules) {
  if (request.kind == NumaKind::Storage || request.kind == NumaKind::Device) return true;
  // Where no zone lists memory, the kubelet's memory manager is off.
  return request.kind == NumaKind::Memory && rules == NumaRules::Kubelet &&
         !some_zone_lists(topology, kMemory, counted);
}

// The smallest number of zones whose allocatable amounts hold it; 0: all zones together do not.
uint32_t fewest_zones(const NumaTopology& topology, uint32_t column, int64_t amount) {
  size_t count = topology.zones.size();
  boost::container::small_vector<int64_t, 16> cells;
  for (size_t zone = 0; zone < count; ++zone) {
    cells.push_back(std::max<int64_t>(0, topology.allocatable[column * count + zone]));
  }
  std::sort(cells.begin(), cells.end(), std::greater<>());
  uint32_t taken = 0;
  for (int64_t cell : cells) {
    ++taken;
    amount -= cell;
    if (amount <= 0) return taken;
  }
  return 0;
}

// Sets `needs.zones`, or finds that no one size suits all resources.
void size_set(const NumaTopology& topology, ZoneNeeds& needs) {
  uint32_t size = 0;
  for (const ZoneNeed& need : needs.all) {
    uint32_t fewest = fewest_zones(topology, need.column, need.amount);
    if (fewest == 0 || (size > 0 && size != fewest)) {
      needs.possible = false;
      needs.lacking = topology.resources[need.column];
      return;
    }
    size = fewest;
  }
  needs.zones = std::max<uint32_t>(1, size);
}

}  // namespace

ZoneMask counted_zones(const NumaTopology& topology, NumaRules rules) {
  if (rules == NumaRules::Kubelet) return topology.all();
  ZoneMask counted = 0;
  for (size_t zone = 0; zone < topology.zones.size(); ++zone) {
    if (topology.zones[zone].plain) counted |= ZoneMask{1} << zone;
  }
  return counted;
}

ZoneMask scored_zones(const NumaTopology& topology, NumaRules rules) {
  ZoneMask plain = counted_zones(topology, NumaRules::Upstream);
  return plain != 0 ? plain : counted_zones(topology, rules);
}

ZoneNeeds zone_needs(const NumaUnit& unit, const NumaNode& node, NumaRules rules) {
  const NumaTopology& topology = *node.topology;
  ZoneMask counted = counted_zones(topology, rules);
  ZoneNeeds needs;
  for (const NumaRequest& request : unit.requests) {
    if (request.amount == 0) continue;
    bool shared = !request.bound && rules == NumaRules::Kubelet;
    bool listed = node_lists(*node.allocatable, request);
    if (listed && shared) continue;
    if (listed && some_zone_lists(topology, request.resource, counted)) {
      needs.all.push_back({static_cast<uint32_t>(topology.column(request.resource)),
                           request.bound ? request.amount : 0});
    } else if (!listed || !may_be_in_no_zone(request, topology, counted, rules)) {
      needs.possible = false;
      needs.lacking = request.resource;
      return needs;
    }
  }
  if (node.settings.policy == NumaPolicy::Restricted) size_set(topology, needs);
  return needs;
}

ZoneMask holding_zones(const ZoneNeeds& needs, std::span<const int64_t> free, size_t zones) {
  ZoneMask holding = zones == 0 ? 0 : ~ZoneMask{0} >> (kMostZones - zones);
  for (const ZoneNeed& need : needs.all) {
    const int64_t* cells = free.data() + need.column * zones;
    ZoneMask bits = 0;
    for (size_t zone = 0; zone < zones; ++zone) {
      bits |= ZoneMask{cells[zone] >= need.amount} << zone;
    }
    holding &= bits;
  }
  return holding;
}

bool set_holds(const ZoneNeeds& needs, ZoneMask set, std::span<const int64_t> free, size_t zones) {
  for (const ZoneNeed& need : needs.all) {
    int64_t left = need.amount;
    for (ZoneMask rest = set; rest != 0 && left > 0; rest &= rest - 1) {
      size_t zone = static_cast<size_t>(std::countr_zero(rest));
      left -= std::max<int64_t>(0, free[need.column * zones + zone]);
    }
    if (left > 0) return false;
  }
  return true;
}

void take_from(const ZoneNeeds& needs, ZoneMask set, std::span<int64_t> free, size_t zones) {
  for (const ZoneNeed& need : needs.all) {
    int64_t left = need.amount;
    for (ZoneMask rest = set; rest != 0 && left > 0; rest &= rest - 1) {
      int64_t& cell = free[need.column * zones + static_cast<size_t>(std::countr_zero(rest))];
      int64_t taken = std::clamp<int64_t>(cell, 0, left);
      left -= taken;
      if (taken > 0) cell -= taken;
    }
  }
}

ZoneMask first_set(uint32_t size, size_t zones) {
  return size == 0 || size > zones ? 0 : ~ZoneMask{0} >> (kMostZones - size);
}

ZoneMask next_set(ZoneMask set, size_t zones) {
  ZoneMask lowest = set & (~set + 1);
  ZoneMask risen = set + lowest;
  if (risen == 0) return 0;
  ZoneMask next = risen | (((set ^ risen) >> 2) >> std::countr_zero(lowest));
  bool beyond = zones < kMostZones && next >> zones != 0;
  return beyond ? 0 : next;
}

}  // namespace trellis
