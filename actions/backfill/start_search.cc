#include "actions/backfill/start_search.h"

#include <algorithm>
#include <utility>

#include "actions/backfill/passing_time.h"
#include "actions/backfill/quota_times.h"
#include "session/cycle/gang_step.h"

namespace trellis {

void StartSearch::collect_times(TimeUs before) {
  at_.clear();
  left_.clear();
  const std::vector<ExpectedEnd>& running = times_.ends().running();
  for (const ExpectedEnd& end : running) at_.push_back(end.at);
  for (const KeptStart& start : times_.starts()) at_.push_back(start.end);
  for (const ReservedNodes::Kept& kept : times_.reserved().kept()) {
    at_.push_back(kept.reservation->to);
  }
  std::ranges::sort(at_);
  at_.erase(std::unique(at_.begin(), at_.end()), at_.end());
  std::erase_if(at_, [&](TimeUs at) { return at <= session_.now() || at >= before; });
  for (TimeUs at : at_) {
    auto last = std::ranges::upper_bound(running, at, {}, &ExpectedEnd::at);
    left_.push_back(static_cast<size_t>(last - running.begin()));
  }
}

// The gangs that have ended by then leave.
void StartSearch::leave_until(size_t time) {
  const std::vector<ExpectedEnd>& running = times_.ends().running();
  for (; gone_ < left_[time]; ++gone_) leave(session_, running[gone_].gang);
}

// Whether the gang finds a place in the statement as it is; the place is taken.
bool StartSearch::fits(GangId gang) {
  ++tries_;
  GangSearch search(session_, FitMode::Future);
  return GangProgress(gang).next(session_, search).result == GangStep::Result::Placed;
}

bool StartSearch::fits_at(GangId gang, size_t time) {
  leave_until(time);
  Statement::Checkpoint before = session_.statement().checkpoint();
  bool found = fits(gang);
  session_.statement().rollback(before);
  return found;
}

// The first of the times at which the gang fits beside the running gangs alone: room only grows.
// Looks further and further, then halves the last step.
size_t StartSearch::first_that_fits(GangId gang) {
  Statement& statement = session_.statement();
  size_t low = 0;  // it does not fit before
  size_t high = at_.size();
  Statement::Checkpoint mark = statement.checkpoint();
  size_t gone = gone_;
  auto raise = [&](size_t to) {
    low = to;
    mark = statement.checkpoint();
    gone = gone_;
  };
  for (size_t step = 1; low < at_.size() && high == at_.size(); step *= 2) {
    size_t time = std::min(low + step, at_.size()) - 1;
    if (fits_at(gang, time)) {
      high = time;
    } else {
      raise(time + 1);
    }
  }
  while (low < high) {
    statement.rollback(mark);
    gone_ = gone;
    size_t middle = low + (high - low) / 2;
    if (fits_at(gang, middle)) {
      high = middle;
    } else {
      raise(middle + 1);
    }
  }
  statement.rollback(mark);
  gone_ = gone;
  return low;
}

KeptStart StartSearch::start_of(GangId gang, TimeUs start, size_t first) const {
  KeptStart kept{.gang = gang,
                 .start = start,
                 .end = time_after(start, times_.ends().run_time(gang)),
                 .made = session_.now(),
                 .places = {}};
  const std::vector<Decision>& decisions = session_.statement().decisions();
  for (size_t i = first; i < decisions.size(); ++i) {
    PodId pod = decisions[i].pod;
    kept.places.push_back({decisions[i].node, pod, session_.snapshot().key(pod).pod_class});
  }
  std::ranges::stable_sort(kept.places, {}, &KeptPlace::node);
  return kept;
}

// REQUIRES: the gangs that have ended by then have left.
std::optional<KeptStart> StartSearch::try_at(GangId gang, TimeUs start) {
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  RunWindow window{start, time_after(start, times_.ends().run_time(gang))};
  take_begun(session_, times_, gang, start);
  std::vector<HeldRoom> rooms;
  times_.held(gang, window, rooms);
  statement.hold_back(rooms);
  size_t first = statement.decision_count();
  std::optional<KeptStart> found;
  bool placed = fits(gang) && QuotaTimes(session_, times_).delayed(gang, window) == nullptr;
  if (placed) found = start_of(gang, start, first);
  statement.rollback(before);
  return found;
}

std::optional<KeptStart> StartSearch::run(GangId gang, TimeUs before) {
  collect_times(before);
  times_.serve(gang);
  Statement::Checkpoint begin = session_.statement().checkpoint();
  gone_ = 0;
  tries_ = 0;
  std::optional<KeptStart> found;
  size_t time = at_.empty() ? 0 : first_that_fits(gang);
  for (; time < at_.size() && !found && tries_ < kMostTries; ++time) {
    leave_until(time);
    found = try_at(gang, at_[time]);
  }
  session_.statement().rollback(begin);
  times_.serve(GangId());
  return found;
}

}  // namespace trellis
