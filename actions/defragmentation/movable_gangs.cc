#include "actions/defragmentation/movable_gangs.h"

#include <algorithm>
#include <utility>

#include "actions/victims/gang_units.h"
#include "actions/victims/next_place.h"
#include "framework/moved_gpus.h"
#include "session/cycle/session_workloads.h"

namespace trellis {
namespace {

MovableGang read_gang(const Session& session, GangId id) {
  MovableGang gang{.gang = id, .pods = pods_to_move(session, id, -1), .nodes = {}};
  std::ranges::reverse(gang.pods);
  for (PodId pod : gang.pods) {
    gang.nodes.push_back(session.snapshot().pod(pod).node);
    PodClassId pod_class = session.snapshot().key(pod).pod_class;
    gang.gpu_milli += held_gpu_milli(session.cluster().pod_classes()[pod_class]);
  }
  std::ranges::sort(gang.nodes);
  gang.nodes.erase(std::unique(gang.nodes.begin(), gang.nodes.end()), gang.nodes.end());
  return gang;
}

bool says_movable(const Session& session, GangId id) {
  const Cluster& cluster = session.cluster();
  if (cluster.gangs()[id].movable) return *cluster.gangs()[id].movable;
  const QueueLedger& queues = session.snapshot().queues();
  Maybe<QueueId> queue = queues.queue_of_gang()[id];
  if (!queue) return false;
  const QueueTree& tree = queues.tree();
  for (QueueId at = *queue; at.valid() && !tree.is_open(at); at = tree.parent(at)) {
    if (cluster.queues()[at].movable) return *cluster.queues()[at].movable;
  }
  return false;
}

bool any_leaves(const Session& session, GangId id) {
  return std::ranges::any_of(session.cluster().pods_of(id), [&](PodId pod) {
    return session.snapshot().pod(pod).status == PodStatus::Releasing;
  });
}

// Whether the gang is whole, and each pod would come back as one that can be placed.
bool can_leave_whole(const Session& session, const MovableGang& gang) {
  if (has_pods_in_slots(session, gang.gang)) return false;
  const QueueLedger& queues = session.snapshot().queues();
  if (!queues.tree().empty() && !queues.queue_of_gang()[gang.gang].valid()) return false;
  const GangCounts& counts = session.snapshot().gang_counts()[gang.gang];
  bool whole = counts.waiting == 0 && counts.placed == static_cast<int64_t>(gang.pods.size()) &&
               comes_back(session, gang.gang) && !any_leaves(session, gang.gang);
  return whole && std::ranges::all_of(gang.pods, [&](PodId pod) {
           return session.cluster().pods()[pod].pod.leaving_since == kNoTime &&
                  has_next_place(session, pod);
         });
}

// None: the gang may move.
ReasonCode verdict(const Session& session, const MovableGang& gang) {
  if (!says_movable(session, gang.gang)) return ReasonCode::NotMovable;
  if (session.placed_here(gang.gang)) return ReasonCode::PlacedThisCycle;
  const Gang& record = session.cluster().gangs()[gang.gang];
  if (!record.preemptible || record.keeps_minimum) return ReasonCode::NotPreemptible;
  for (const auto& rule : session.hooks().victim_rules) {
    ReasonCode code =
        rule.point->verdict(gang.gang, GangId(), MoveCause::Defragmentation, session.now());
    if (code != ReasonCode::None) return code;
  }
  return can_leave_whole(session, gang) ? ReasonCode::None : ReasonCode::NotMovable;
}

}  // namespace

MovableGangs find_movable_gangs(const Session& session) {
  MovableGangs found;
  for (GangId id : session.cluster().gangs_by_name()) {
    if (session.snapshot().gang_counts()[id].placed == 0) continue;
    MovableGang gang = read_gang(session, id);
    if (gang.gpu_milli <= 0) continue;
    ReasonCode code = verdict(session, gang);
    if (code == ReasonCode::None) {
      found.gangs.push_back(std::move(gang));
      continue;
    }
    auto known = std::ranges::find(found.others, code, &VerdictCount::code);
    if (known == found.others.end()) known = found.others.insert(known, {.code = code});
    ++known->nodes;
  }
  std::ranges::stable_sort(found.gangs, {}, &MovableGang::gpu_milli);
  std::ranges::sort(found.others, {}, &VerdictCount::code);
  return found;
}

}  // namespace trellis
