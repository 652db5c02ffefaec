#include "actions/backfill/start_search.h"

#include <algorithm>
#include <utility>

#include "actions/backfill/passing_time.h"
#include "actions/backfill/quota_times.h"
#include "framework/topology_levels.h"
#include "session/cycle/gang_step.h"
#include "session/placement/gang_needs.h"

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

bool StartSearch::fits_at(GangId gang) {
  Statement::Checkpoint before = session_.statement().checkpoint();
  bool found = fits(gang);
  session_.statement().rollback(before);
  return found;
}

// nullopt: the pods differ, or are in subgroups.
std::optional<StartSearch::EqualPods> StartSearch::equal_pods(GangId gang) const {
  if (!session_.cluster().gangs()[gang].subgroups.empty()) return std::nullopt;
  std::vector<PodId> pods = next_pods(session_, gang);
  if (pods.empty()) return std::nullopt;
  PodClassId pod_class = session_.snapshot().key(pods.front()).pod_class;
  bool equal = std::ranges::all_of(
      pods, [&](PodId pod) { return session_.snapshot().key(pod).pod_class == pod_class; });
  if (!equal) return std::nullopt;
  return EqualPods{pod_class, static_cast<int64_t>(pods.size())};
}

// Whether counts leave the pods a place in the statement as it is: false is certain.
bool StartSearch::may_fit(GangId gang, const EqualPods& pods) {
  FitCache& fits = session_.fits();
  if (fits.total(pods.pod_class, FitMode::Future) < pods.pods) return false;
  const Cluster& cluster = session_.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyConstraint& constraint = cluster.gangs()[gang].topology;
  if (!constraint.required.valid()) return true;
  TopologyId topology = cluster.find_topology(strings.view(constraint.topology));
  if (!topology.valid()) return true;
  ResolvedLevels levels = resolve_levels(cluster.topologies()[topology], constraint, strings);
  if (levels.error != ReasonCode::None || levels.required < 0) return true;
  const DomainCounts& counts = fits.domain_counts(topology, pods.pod_class, FitMode::Future);
  IdRange domains = session_.snapshot().trees()[topology].level(levels.required);
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    if (counts[DomainId(id)] >= pods.pods) return true;
  }
  return false;
}

// The first of the times from `from` on at which `holds` is true beside the running gangs alone:
// room only grows. Looks further and further, then halves the last step.
template <class Holds>
size_t StartSearch::first_time(size_t from, Holds holds) {
  Statement& statement = session_.statement();
  size_t low = from;  // it is false before
  size_t high = at_.size();
  Statement::Checkpoint mark = statement.checkpoint();
  size_t gone = gone_;
  auto holds_at = [&](size_t time) {
    leave_until(time);
    return holds();
  };
  auto raise = [&](size_t to) {
    low = to;
    mark = statement.checkpoint();
    gone = gone_;
  };
  for (size_t step = 1; low < at_.size() && high == at_.size(); step *= 2) {
    size_t time = std::min(low + step, at_.size()) - 1;
    if (holds_at(time)) {
      high = time;
    } else {
      raise(time + 1);
    }
  }
  while (low < high) {
    statement.rollback(mark);
    gone_ = gone;
    size_t middle = low + (high - low) / 2;
    if (holds_at(middle)) {
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
  std::ranges::stable_sort(kept.places, {}, &AppointedPlace::node);
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
  size_t time = 0;
  if (std::optional<EqualPods> pods = equal_pods(gang)) {
    time = first_time(0, [&] { return may_fit(gang, *pods); });
    if (time < at_.size()) {
      leave_until(time);
      found = try_at(gang, at_[time]);
    }
  }
  if (!found) time = first_time(time, [&] { return fits_at(gang); });
  for (; time < at_.size() && !found && tries_ < kMostTries; ++time) {
    leave_until(time);
    found = try_at(gang, at_[time]);
  }
  session_.statement().rollback(begin);
  times_.serve(GangId());
  return found;
}

}  // namespace trellis
