#include "actions/backfill/quota_times.h"

#include <algorithm>

#include "actions/backfill/passing_time.h"
#include "session/cycle/gang_step.h"

namespace trellis {
namespace {

bool has_bound(const Queue& queue) {
  auto bounds = [](const QueueShare& share) {
    return share.limit != QueueShare::kUnlimited || share.quota != QueueShare::kUnlimited;
  };
  return bounds(queue.gpu) || bounds(queue.cpu) || bounds(queue.memory);
}

bool has_limit(const Queue& queue) {
  return queue.gpu.limit != QueueShare::kUnlimited || queue.cpu.limit != QueueShare::kUnlimited ||
         queue.memory.limit != QueueShare::kUnlimited;
}

}  // namespace

// Quotas bind gangs that are not preemptible, limits bind all.
bool QuotaTimes::share_bound(GangId gang, GangId other) const {
  if (!counts_for_queue(session_, gang) || !counts_for_queue(session_, other)) return false;
  const Cluster& cluster = session_.cluster();
  const QueueLedger& ledger = session_.snapshot().queues();
  auto fixed = [&](GangId id) {
    const Gang& record = cluster.gangs()[id];
    return !record.preemptible || record.keeps_minimum;
  };
  bool quotas = fixed(gang) && fixed(other);
  auto is_above_other = [&](QueueId queue) {
    QueueId at = *ledger.queue_of_gang()[other];
    while (at.valid() && at != queue) at = ledger.tree().parent(at);
    return at.valid();
  };
  for (QueueId at = *ledger.queue_of_gang()[gang]; at.valid(); at = ledger.tree().parent(at)) {
    if (at.value >= cluster.queues().size() || !is_above_other(at)) continue;
    const Queue& queue = cluster.queues()[at];
    if (quotas ? has_bound(queue) : has_limit(queue)) return true;
  }
  return false;
}

void QuotaTimes::leave_until(TimeUs time, GangId beside) {
  for (const ExpectedEnd& end : times_.ends().running()) {
    if (end.at <= time && end.gang != beside) leave(session_, end.gang);
  }
}

// In the statement as it is when the gang starts.
bool QuotaTimes::may_start(const KeptStart& start) {
  QueueAmounts need;
  for (const AppointedPlace& place : start.places) {
    need.add(session_.snapshot().queues().amounts(session_.cluster(), place.pod_class, place.node),
             1);
  }
  return may_take(session_, start.gang, need).code == ReasonCode::None;
}

// Whether the appointed gang may take its amounts when it starts, in the statement as it is then.
bool QuotaTimes::is_allowed(const KeptStart& start, GangId beside) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  TimeUs time = std::max(start.start, session_.now());
  leave_until(time, beside);
  take_begun(session_, times_, start.gang, time);
  bool allowed = may_start(start);
  session_.statement().rollback(before);
  return allowed;
}

// Whether a gang that starts later, and goes before, may take its amounts while the first one runs.
bool QuotaTimes::allows_beside(const KeptStart& start, const KeptStart& later) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  leave_until(later.start, GangId());
  for (const KeptStart& other : times_.starts()) {
    if (other.gang == start.gang || other.gang == later.gang) continue;
    bool counts = times_.goes_before(other, start.gang);
    if (counts && other.meets(later.start, later.start + 1)) take_places(session_, other);
  }
  take_places(session_, start);
  bool allowed = may_start(later);
  session_.statement().rollback(before);
  return allowed;
}

bool QuotaTimes::allow(const KeptStart& start) {
  if (session_.hooks().queue_rules == nullptr || !share_bound(start.gang, start.gang)) return true;
  if (!is_allowed(start, GangId())) return false;
  return std::ranges::all_of(times_.starts(), [&](const KeptStart& later) {
    bool meets = later.start > start.start && later.start < start.end;
    bool counts = later.gang != start.gang && times_.goes_before(later, start.gang);
    return !meets || !counts || !share_bound(start.gang, later.gang) || allows_beside(start, later);
  });
}

const KeptStart* QuotaTimes::delayed(GangId gang, const RunWindow& window) {
  if (session_.hooks().queue_rules == nullptr) return nullptr;
  for (const KeptStart& start : times_.starts()) {
    bool meets = times_.binds(start, gang) && start.meets(window.from, window.until);
    bool stands = start.start <= window.from && window.from > session_.now();
    if (!meets || stands || !share_bound(gang, start.gang)) continue;
    if (!is_allowed(start, gang)) return &start;
  }
  return nullptr;
}

}  // namespace trellis
