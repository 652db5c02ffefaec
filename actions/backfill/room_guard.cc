#include "actions/backfill/room_guard.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "actions/backfill/quota_times.h"
#include "framework/sort_unique.h"

namespace trellis {

std::string full_gang_name(const Cluster& cluster, GangId id) {
  const Gang& gang = cluster.gangs()[id];
  std::string name(cluster.vocabulary().strings.view(gang.name_space));
  return name + "/" + std::string(gang.name);
}

void RoomGuard::serve(GangId gang) {
  if (times_ != nullptr) times_->serve(gang);
}

void RoomGuard::reclaims(GangId gang, const QueueAmounts& need) {
  if (times_ == nullptr) return;
  const QueueRules& rules = *session_.hooks().queue_rules;
  const auto& queues = session_.snapshot().queues().queue_of_gang();
  for (const KeptStart& start : times_->starts()) {
    Maybe<QueueId> losing = queues[start.gang];
    if (!losing || losing == queues[gang]) continue;
    QueueLoss loss{*losing, need};
    if (rules.fair_exchange(gang, need, std::span(&loss, 1))) times_->let_pass(start.gang);
  }
}

GangStep RoomGuard::step(GangProgress& progress, const Step& next) {
  if (idle()) return next(progress);
  GangId gang = progress.gang();
  Statement& statement = session_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  size_t first = statement.decision_count();
  GangProgress again = progress;
  GangStep step = next(progress);
  if (step.result != GangStep::Result::Placed) return step;
  RunWindow window = times_->window_of(gang);
  std::vector<HeldRoom> rooms;
  times_->held(gang, window, rooms);
  if (!delays(gang, first, rooms)) {
    const KeptStart* delayed = QuotaTimes(session_, *times_).delayed(gang, window);
    if (delayed == nullptr) return step;
    statement.rollback(start);
    return waits_for(*delayed, std::move(step));
  }
  Reason why = kept_back(gang, window, first);
  statement.rollback(start);
  progress = std::move(again);
  statement.hold_back(rooms);
  step = next(progress);
  if (step.result == GangStep::Result::Placed) {
    statement.release(rooms);
    const KeptStart* delayed = QuotaTimes(session_, *times_).delayed(gang, window);
    if (delayed == nullptr) return step;
    statement.rollback(start);
    return waits_for(*delayed, std::move(step));
  }
  statement.rollback(start);
  if (step.result == GangStep::Result::Waits) step.refusal = std::move(why);
  return step;
}

// The gang had a place, and its queue would have nothing left for the appointed one.
GangStep RoomGuard::waits_for(const KeptStart& start, GangStep step) const {
  step.result = GangStep::Result::Waits;
  step.refusal.code = ReasonCode::BehindAppointment;
  step.refusal.subject = full_gang_name(session_.cluster(), start.gang);
  step.refusal.at = start.start;
  return step;
}

// Whether what was placed since a decision takes held room.
bool RoomGuard::delays(GangId gang, size_t first_decision, std::span<const HeldRoom> rooms) const {
  if (rooms.empty()) return false;
  absl::flat_hash_map<NodeId, FitMode> taken;
  const std::vector<Decision>& decisions = session_.statement().decisions();
  for (size_t i = first_decision; i < decisions.size(); ++i) {
    if (session_.snapshot().key(decisions[i].pod).gang != gang) continue;
    bool now = decisions[i].kind == Decision::Kind::Bind;
    taken[decisions[i].node] = now ? FitMode::Now : FitMode::Future;
  }
  return std::ranges::any_of(rooms, [&](const HeldRoom& room) {
    auto found = taken.find(room.node);
    if (found == taken.end()) return false;
    return session_.snapshot().state().columns(found->second)[room.resource][room.node] <
           room.amount;
  });
}

bool RoomGuard::delays(GangId gang, const RunWindow& window, size_t first_decision) const {
  if (idle()) return false;
  std::vector<HeldRoom> rooms;
  times_->held(gang, window, rooms);
  return delays(gang, first_decision, rooms) || exceeds(gang, window);
}

bool RoomGuard::exceeds(GangId gang, const RunWindow& window) const {
  return times_ != nullptr && QuotaTimes(session_, *times_).delayed(gang, window) != nullptr;
}

// What moves is not served: no appointment is behind it.
bool RoomGuard::delays_again(GangId gang, size_t first_decision) const {
  if (idle()) return false;
  times_->set_late(gang);
  bool delayed = delays(gang, times_->window_again(gang), first_decision);
  times_->set_late(GangId());
  return delayed;
}

SearchResult RoomGuard::place_again(GangId gang, const std::function<SearchResult()>& place) {
  if (idle()) return place();
  Statement& statement = session_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  RunWindow window = times_->window_again(gang);
  times_->set_late(gang);
  std::vector<HeldRoom> rooms;
  times_->held(gang, window, rooms);
  statement.hold_back(rooms);
  SearchResult result = place();
  if (result == SearchResult::Placed) {
    statement.release(rooms);
    if (exceeds(gang, window)) result = SearchResult::NoFit;
  }
  times_->set_late(GangId());
  if (result != SearchResult::Placed) statement.rollback(start);
  return result;
}

// Why the places that the gang has in the statement are not for it.
Reason RoomGuard::kept_back(GangId gang, const RunWindow& window, size_t first_decision) const {
  std::vector<NodeId> nodes;
  const std::vector<Decision>& decisions = session_.statement().decisions();
  for (size_t i = first_decision; i < decisions.size(); ++i) nodes.push_back(decisions[i].node);
  sort_unique(nodes);
  Reason reason;
  reason.nodes = static_cast<int64_t>(nodes.size());
  if (const Reservation* met = times_->met_reservation(gang, window, nodes)) {
    reason.code = ReasonCode::NodesReserved;
    reason.subject = met->name;
    reason.at = met->from;
  } else if (const KeptStart* start = times_->met(gang, window, nodes)) {
    reason.code = ReasonCode::BehindAppointment;
    reason.subject = full_gang_name(session_.cluster(), start->gang);
    reason.at = start->start;
  }
  return reason;
}

}  // namespace trellis
