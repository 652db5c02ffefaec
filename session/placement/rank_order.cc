#include "session/placement/rank_order.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace trellis {
namespace {

// A place that was found for a pod of a row.
struct Slot {
  uint64_t order = 0;  // slots that belong together have orders close to each other
  NodeId node;
  FitMode mode = FitMode::Now;
  GpuGrant devices;
};

const TopologyTree& tree_of(const Session& session, const PlacementUnit& unit) {
  const Cluster& cluster = session.cluster();
  if (!unit.constraint.topology.valid()) return session.snapshot().all_nodes();
  TopologyId id =
      cluster.find_topology(cluster.vocabulary().strings.view(unit.constraint.topology));
  return session.snapshot().tree(id);
}

std::vector<Slot> slots_of(const Session& session, const PlacementUnit& unit, const RowPods& row) {
  std::vector<Slot> slots;
  std::unordered_map<uint32_t, uint64_t> first_use;  // only asked, never iterated
  // Equal pods fill the parts of their division in order; that order stays.
  bool in_parts = unit.rows.size() == 1;
  const TopologyTree& tree = tree_of(session, unit);
  for (PodId pod : row.pods) {
    PodState state = session.snapshot().pod(pod);
    Slot& slot = slots.emplace_back();
    slot.node = state.node;
    slot.mode = state.status == PodStatus::Pipelined ? FitMode::Future : FitMode::Now;
    const GpuGrant& devices = session.snapshot().grant(pod);
    slot.devices.assign(devices.begin(), devices.end());
    slot.order = in_parts ? first_use.try_emplace(state.node.value, first_use.size()).first->second
                          : tree.position(state.node);
  }
  return slots;
}

bool by_order(const Slot& a, const Slot& b) { return a.order < b.order; }

// Whether pods that share a node follow each other: mostly so, and soon seen.
bool nodes_in_runs(const Session& session, const RowPods& row) {
  constexpr size_t kFew = 16;
  std::vector<NodeId> starts;  // of runs
  for (PodId pod : row.pods) {
    NodeId node = session.snapshot().pod(pod).node;
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
  std::vector<bool> seen(session.cluster().nodes().size(), false);
  for (NodeId node : starts) {
    if (seen[node.value]) return false;
    seen[node.value] = true;
  }
  return true;
}

bool in_order(const Session& session, const PlacementUnit& unit) {
  return unit.rows.empty() || (unit.rows.size() == 1 && nodes_in_runs(session, unit.rows.front()));
}

}  // namespace

void keep_ranks_together(Session& session, Statement::Checkpoint start,
                         std::span<const PlacementUnit> units) {
  bool all_in_order = std::all_of(units.begin(), units.end(), [&](const PlacementUnit& unit) {
    return in_order(session, unit);
  });
  if (all_in_order) return;
  std::vector<std::pair<const RowPods*, std::vector<Slot>>> rows;
  bool changed = false;
  for (const PlacementUnit& unit : units) {
    for (const RowPods& row : unit.rows) {
      rows.emplace_back(&row, slots_of(session, unit, row));
      std::vector<Slot>& slots = rows.back().second;
      if (std::is_sorted(slots.begin(), slots.end(), by_order)) continue;
      changed = true;
      std::stable_sort(slots.begin(), slots.end(), by_order);
    }
  }
  if (!changed) return;
  session.statement().rollback(start);
  for (const auto& [row, slots] : rows) {
    for (size_t i = 0; i < slots.size(); ++i) {
      session.statement().place_on(row->pods[i], slots[i].node, slots[i].mode, slots[i].devices);
    }
  }
}

}  // namespace trellis
