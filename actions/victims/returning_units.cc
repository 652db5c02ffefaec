#include "actions/victims/returning_units.h"

#include <algorithm>
#include <set>

#include "actions/victims/next_place.h"

namespace trellis {
namespace {

// A pod may be in several units.
void evict_all(Session& session, const MoveRequest& request, std::span<const VictimUnit> units) {
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      if (!is_active(session.snapshot().pod(pod).status)) continue;
      session.statement().evict(pod, request.gang);
    }
  }
}

// Nodes that do not take all of their pods back. REQUIRES: the pods have left.
std::set<NodeId> short_nodes(Session& session, std::span<const VictimUnit> units) {
  std::set<NodeId> nodes;
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      PodState state = session.snapshot().pod(pod);
      if (state.status != PodStatus::Evicted) continue;
      if (fits_back(session, pod)) {
        GpuGrant devices = session.snapshot().grant(pod);
        session.statement().place_on(pod, state.node, FitMode::Future, devices);
      } else {
        nodes.insert(state.node);
      }
    }
  }
  return nodes;
}

std::set<PodClassId> classes_of(const Session& session, const MoveRequest& request,
                                std::span<const VictimUnit> units) {
  std::set<PodClassId> classes;
  for (const RowPods& row : request.rows) classes.insert(row.pod_class);
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) classes.insert(session.snapshot().key(pod).pod_class);
  }
  return classes;
}

}  // namespace

ReturningUnits returning_units(Session& session, const MoveRequest& request,
                               std::span<const VictimUnit> units) {
  Statement::Checkpoint start = session.statement().checkpoint();
  evict_all(session, request, units);
  std::set<NodeId> nodes = short_nodes(session, units);
  session.statement().rollback(start);
  ReturningUnits returning;
  std::set<NodeId> left;  // by the others
  for (const VictimUnit& unit : units) {
    bool stays_put = std::ranges::any_of(unit.pods, [&](PodId pod) {
      return nodes.contains(session.snapshot().pod(pod).node) || !has_next_place(session, pod);
    });
    if (!stays_put) {
      returning.units.push_back(unit);
      continue;
    }
    for (PodId pod : unit.pods) left.insert(session.snapshot().pod(pod).node);
  }
  std::set<PodClassId> classes = classes_of(session, request, returning.units);
  returning.all_that_help = std::ranges::none_of(left, [&](NodeId node) {
    return std::ranges::any_of(classes, [&](PodClassId pod_class) {
      return session.fits().class_verdict(pod_class, node) == ReasonCode::None;
    });
  });
  return returning;
}

}  // namespace trellis
