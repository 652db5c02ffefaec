#include <algorithm>
#include <utility>
#include <vector>

#include "actions/actions.h"
#include "actions/defragmentation/move_plan.h"
#include "framework/moved_gpus.h"
#include "session/cycle/session.h"

namespace trellis {
namespace {

// Whether this cycle has room made, or keeps it, for a gang or workload that waits. Moves that were
// decided before end first, too: their pods are promised places until they are bound.
bool others_move(const Session& session) {
  return std::ranges::any_of(
             session.decisions(),
             [](const Decision& decision) { return decision.kind != Decision::Kind::Bind; }) ||
         std::ranges::any_of(session.workload_decisions(), [](const WorkloadDecision& decision) {
           return promises(decision) || evicts(decision);
         });
}

Reason reason_of(const MovePlan& plan, const PlacedSet& set) {
  Reason reason{.code = ReasonCode::MovedForRoom, .plugin = kDefragmentation};
  reason.needed = set.moved_milli;
  reason.found = plan.gain_milli(set);
  reason.nodes = static_cast<int64_t>(set.size());
  return reason;
}

}  // namespace

void defragment(Session& session) {
  const Defragmentation& config = session.config().defragmentation;
  if (!config.enabled || !config.window.contains(session.now())) return;
  int64_t spent = session.cluster().moved_gpus().spent(session.now());
  int64_t left = saturating_product(config.max_moved_gpus_per_hour, kMilli) - spent;
  if (left <= 0 || others_move(session)) return;
  MovePlan plan = plan_moves(session, {.moved_milli = left, .min_gain = config.min_gain});
  if (plan.sets.empty()) return;
  session.commit(kDefragmentation);
  for (const PlacedSet& set : plan.sets) {
    for (const GangMove& move : set.moves) {
      session.set_reasons(move.gang->gang, {reason_of(plan, set)});
    }
  }
}

}  // namespace trellis
