#include "session/placement/rank_order.h"

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <unordered_map>
#include <vector>

namespace trellis {
namespace {

// A pod of a row, and the position of its place among the places of the row.
struct Place {
  uint64_t order = 0;  // places that belong together have orders close to each other
  PodId pod;
};

const TopologyTree& tree_of(const PlacementContext& context, const PlacementUnit& unit) {
  const Cluster& cluster = context.cluster();
  if (!unit.constraint.topology.valid()) return context.snapshot().all_nodes();
  TopologyId id =
      cluster.find_topology(cluster.vocabulary().strings.view(unit.constraint.topology));
  return context.snapshot().tree(id);
}

std::vector<Place> places_of(const PlacementContext& context, const PlacementUnit& unit,
                             const RowPods& row) {
  std::vector<Place> places;
  std::unordered_map<uint32_t, uint64_t> first_use;  // only looked up, never iterated
  // Equal pods fill the parts of their division in order; that order stays.
  bool in_parts = unit.rows.size() == 1;
  const TopologyTree& tree = tree_of(context, unit);
  for (PodId pod : row.pods) {
    NodeId node = context.snapshot().pod(pod).node;
    uint64_t order = in_parts ? first_use.try_emplace(node.value, first_use.size()).first->second
                              : tree.position(node);
    places.push_back({order, pod});
  }
  return places;
}

bool by_order(const Place& a, const Place& b) { return a.order < b.order; }

// Whether pods that share a node follow each other: mostly they do, and it is quickly found out.
bool nodes_in_runs(const PlacementContext& context, const RowPods& row) {
  constexpr size_t kFew = 16;
  boost::container::small_vector<NodeId, kFew> starts;  // of runs
  for (PodId pod : row.pods) {
    NodeId node = context.snapshot().pod(pod).node;
    if (starts.empty() || starts.back() != node) starts.push_back(node);
  }
  if (starts.size() <= kFew) {
    for (size_t i = 1; i < starts.size(); ++i) {
      if (std::find(starts.begin(), starts.begin() + static_cast<ptrdiff_t>(i), starts[i]) !=
          starts.begin() + static_cast<ptrdiff_t>(i)) {
        return false;
      }
    }
    return true;
  }
  std::vector<bool> seen(context.cluster().nodes().size(), false);
  for (NodeId node : starts) {
    if (seen[node.value]) return false;
    seen[node.value] = true;
  }
  return true;
}

bool in_order(const PlacementContext& context, const PlacementUnit& unit) {
  return unit.rows.empty() || (unit.rows.size() == 1 && nodes_in_runs(context, unit.rows.front()));
}

// A decision to make again.
struct Made {
  PodId pod;
  NodeId node;
  FitMode mode = FitMode::Now;
  GpuGrant devices;
};

std::vector<Made> decisions_since(PlacementContext& context, Statement::Checkpoint start) {
  std::vector<Made> made;
  const std::vector<Decision>& all = context.statement().decisions();
  for (size_t i = start.decisions; i < all.size(); ++i) {
    Made& one = made.emplace_back();
    one.pod = all[i].pod;
    one.node = all[i].node;
    one.mode = all[i].kind == Decision::Kind::Pipeline ? FitMode::Future : FitMode::Now;
    const GpuGrant& devices = context.snapshot().grant(one.pod);
    one.devices.assign(devices.begin(), devices.end());
  }
  return made;
}

}  // namespace

void keep_ranks_together(PlacementContext& context, Statement::Checkpoint start,
                         std::span<const PlacementUnit> units) {
  bool all_in_order = std::all_of(units.begin(), units.end(), [&](const PlacementUnit& unit) {
    return in_order(context, unit);
  });
  if (all_in_order) return;
  std::unordered_map<uint32_t, PodId> takes_place_of;  // only looked up, never iterated
  for (const PlacementUnit& unit : units) {
    for (const RowPods& row : unit.rows) {
      std::vector<Place> places = places_of(context, unit, row);
      if (std::is_sorted(places.begin(), places.end(), by_order)) continue;
      std::stable_sort(places.begin(), places.end(), by_order);
      for (size_t i = 0; i < places.size(); ++i) takes_place_of[places[i].pod.value] = row.pods[i];
    }
  }
  if (takes_place_of.empty()) return;
  std::vector<Made> made = decisions_since(context, start);
  context.statement().rollback(start);
  // In the order in which they were found, which matters where pods have terms about each other.
  for (const Made& one : made) {
    auto other = takes_place_of.find(one.pod.value);
    PodId pod = other == takes_place_of.end() ? one.pod : other->second;
    context.statement().place_on(pod, one.node, one.mode, one.devices);
  }
}

}  // namespace trellis
