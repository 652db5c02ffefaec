#include "session/times/expected_ends.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include "framework/running_since.h"

namespace trellis {

ExpectedEnds::ExpectedEnds(const PlacementContext& context, const RunHistory* past)
    : context_(context) {
  double quantile = context.config().queues.run_time_quantile;
  if (past == nullptr || quantile <= 0) return;
  for (const PastRuns& runs : *past) {
    if (runs.lengths.size() < kLeastPastRuns) continue;
    std::vector<TimeUs> lengths = runs.lengths;
    std::ranges::sort(lengths);
    double rank = std::ceil(quantile * static_cast<double>(lengths.size()));
    auto index = static_cast<size_t>(std::max(rank, 1.0)) - 1;
    past_[{runs.queue, runs.name_space}] = lengths[std::min(index, lengths.size() - 1)];
  }
}

TimeUs ExpectedEnds::run_time(GangId id) const {
  const Gang& gang = context_.cluster().gangs()[id];
  if (gang.run_time_us != kNoTime || past_.empty()) return gang.run_time_us;
  const StringTable& strings = context_.cluster().vocabulary().strings;
  std::string queue(gang.queue ? strings.view(*gang.queue) : "");
  auto found = past_.find(std::pair(std::move(queue), std::string(strings.view(gang.name_space))));
  return found == past_.end() ? kNoTime : found->second;
}

TimeUs ExpectedEnds::end_of(GangId id) const {
  TimeUs length = run_time(id);
  if (length == kNoTime) return kNever;
  const Cluster& cluster = context_.cluster();
  bool ran = std::ranges::any_of(
      cluster.pods_of(id), [&](PodId pod) { return is_active(cluster.pods()[pod].pod.status); });
  TimeUs since = kNoTime;
  if (ran) since = running_since(cluster.gangs()[id], cluster.pods(), cluster.pods_of(id));
  if (since == kNoTime || since > context_.now()) since = context_.now();
  TimeUs end = time_after(since, length);
  while (end <= context_.now()) {
    length = time_after(length, length);
    end = time_after(since, length);
  }
  return end;
}

bool ExpectedEnds::has_nodes(GangId gang) const {
  const std::vector<PodId>& pods = context_.cluster().pods_of(gang);
  return std::ranges::any_of(pods, [&](PodId pod) {
    PodState state = context_.snapshot().pod(pod);
    return is_active(state.status) && state.node.valid();
  });
}

bool ExpectedEnds::ends_before(const ExpectedEnd& a, const ExpectedEnd& b) const {
  const Cluster& cluster = context_.cluster();
  auto key = [&](const ExpectedEnd& end) {
    const Gang& gang = cluster.gangs()[end.gang];
    return std::tuple(end.at, cluster.vocabulary().strings.view(gang.name_space),
                      std::string_view(gang.name));
  };
  return key(a) < key(b);
}

const std::vector<ExpectedEnd>& ExpectedEnds::running() {
  if (listed_) return running_;
  listed_ = true;
  auto list = [this](GangId gang) {
    TimeUs end = has_nodes(gang) ? end_of(gang) : kNever;
    if (end != kNever) running_.push_back({end, gang});
  };
  if (past_.empty()) {
    for (GangId gang : context_.snapshot().timed_gangs()) list(gang);
  } else {
    for (uint32_t i = 0; i < context_.cluster().gangs().size(); ++i) {
      if (context_.cluster().alive(GangId(i))) list(GangId(i));
    }
  }
  std::ranges::sort(running_, [this](const auto& a, const auto& b) { return ends_before(a, b); });
  return running_;
}

void ExpectedEnds::add(GangId gang) {
  if (!listed_ || run_time(gang) == kNoTime || !has_nodes(gang)) return;
  std::erase_if(running_, [&](const ExpectedEnd& end) { return end.gang == gang; });
  ExpectedEnd end{end_of(gang), gang};
  auto before = [this](const auto& a, const auto& b) { return ends_before(a, b); };
  running_.insert(std::ranges::lower_bound(running_, end, before), end);
}

}  // namespace trellis
