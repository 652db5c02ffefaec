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

}  // namespace

void keep_ranks_together(Session& session, Statement::Checkpoint start,
                         std::span<const PlacementUnit> units) {
  std::vector<std::pair<const RowPods*, std::vector<Slot>>> rows;
  bool in_order = true;
  for (const PlacementUnit& unit : units) {
    for (const RowPods& row : unit.rows) {
      if (row.pods.size() < 2 && in_order && units.size() == 1 && unit.rows.size() == 1) return;
      rows.emplace_back(&row, slots_of(session, unit, row));
      std::vector<Slot>& slots = rows.back().second;
      if (std::is_sorted(slots.begin(), slots.end(), by_order)) continue;
      in_order = false;
      std::stable_sort(slots.begin(), slots.end(), by_order);
    }
  }
  if (in_order) return;
  session.statement().rollback(start);
  for (const auto& [row, slots] : rows) {
    for (size_t i = 0; i < slots.size(); ++i) {
      session.statement().place_on(row->pods[i], slots[i].node, slots[i].mode, slots[i].devices);
    }
  }
}

}  // namespace trellis
