#include "actions/waiting/reservations.h"

#include <algorithm>
#include <string>
#include <utility>

#include "session/placement/near_miss.h"

namespace trellis {

Maybe<QueueId> Reservations::queue_of(GangId gang) const {
  return session_.snapshot().queues().queue_of_gang()[gang];
}

Reason Reservations::held_off(GangId gang, const Kept& kept) const {
  const Gang& first = session_.cluster().gangs()[kept.gang];
  Reason reason = kept.note;
  reason.needed = static_cast<int64_t>(session_.waiting_pods(gang).size());
  reason.subject = session_.cluster().vocabulary().strings.view(first.name_space);
  reason.subject += "/" + first.name;
  return reason;
}

GangStep Reservations::step(GangProgress& progress, GangSearch& search) {
  GangId gang = progress.gang();
  std::vector<NodeId> nodes;
  const Kept* nearest = nullptr;
  for (const Kept& kept : kept_) {
    if (kept.queue != queue_of(gang) || kept.gang == gang) continue;
    nodes.insert(nodes.end(), kept.nodes.begin(), kept.nodes.end());
    if (nearest == nullptr) nearest = &kept;
  }
  if (nodes.empty()) return progress.next(session_, search);
  std::sort(nodes.begin(), nodes.end());
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  session_.statement().hold_back(nodes);
  GangStep step = progress.next(session_, search);
  session_.statement().release(nodes);
  if (step.result != GangStep::Result::Waits || step.refusal.code != ReasonCode::None) return step;
  // Would the gang have had a place on the kept nodes?
  Statement::Checkpoint start = session_.statement().checkpoint();
  GangStep otherwise = GangProgress(gang).next(session_, search);
  session_.statement().rollback(start);
  if (otherwise.result == GangStep::Result::Placed) step.refusal = held_off(gang, *nearest);
  return step;
}

void Reservations::keep_for(GangId gang, const GangStep& step) {
  TimeUs after = session_.config().limits.reserve_after_us;
  if (after <= 0 || step.refusal.code != ReasonCode::None) return;
  TimeUs since = session_.waiting_since(gang);
  if (since == kNoTime || session_.now() - since < after) return;
  NearestPlace place = nearest_place(session_, gang, step.needed, step.code);
  if (place.nodes.empty()) return;
  Reason note = std::move(place.miss);
  note.code = ReasonCode::ReservedForOther;
  note.plugin = {};
  note.verdicts.clear();
  note.nodes = static_cast<int64_t>(place.nodes.size());
  note.subject.clear();
  note.subgroup.clear();
  kept_.push_back({gang, queue_of(gang), std::move(place.nodes), std::move(note)});
}

void Reservations::add_reasons() {
  for (const Kept& kept : kept_) session_.add_reason(kept.gang, kept.note);
}

}  // namespace trellis
