#include "session/times/run_observer.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "framework/running_since.h"

namespace trellis {
namespace {

enum class GangLife : uint8_t { Runs, Waits, Over };

GangLife life_of(const Cluster& cluster, GangId gang) {
  if (!cluster.alive(gang)) return GangLife::Over;
  bool waits = false;
  for (PodId pod : cluster.pods_of(gang)) {
    PodStatus status = cluster.pods()[pod].pod.status;
    if (is_active(status)) return GangLife::Runs;
    waits = waits || !has_finished(status);
  }
  return waits ? GangLife::Waits : GangLife::Over;
}

}  // namespace

void RunObserver::continue_with(std::shared_ptr<const RunHistory> history) {
  history_ = std::move(history);
  changed_.clear();
  runs_.clear();
}

void RunObserver::observe(const Cluster& cluster, TimeUs now) {
  const StringTable& strings = cluster.vocabulary().strings;
  for (GangId id : std::exchange(changed_, {})) {
    GangLife life = life_of(cluster, id);
    auto known = runs_.find(id.value);
    // The id may be another gang's by now.
    bool other = known != runs_.end() && cluster.alive(id) &&
                 (cluster.gangs()[id].name != known->second.name ||
                  strings.view(cluster.gangs()[id].name_space) != known->second.name_space);
    if (known != runs_.end() && (other || life != GangLife::Runs)) {
      if (other || life == GangLife::Over) add(known->second, now - known->second.since);
      runs_.erase(known);
      known = runs_.end();
    }
    if (life != GangLife::Runs || known != runs_.end()) continue;
    const Gang& gang = cluster.gangs()[id];
    TimeUs since = running_since(gang, cluster.pods(), cluster.pods_of(id));
    runs_[id.value] = {.since = since == kNoTime ? now : std::min(since, now),
                       .queue = gang.queue ? std::string(strings.view(*gang.queue)) : "",
                       .name_space = std::string(strings.view(gang.name_space)),
                       .name = gang.name};
  }
}

void RunObserver::add(const Run& run, TimeUs length) {
  if (length <= 0) return;
  RunHistory history = history_ ? *history_ : RunHistory();
  auto key = [](const PastRuns& past) { return std::tie(past.queue, past.name_space); };
  PastRuns fresh{run.queue, run.name_space, {}};
  auto at = std::ranges::lower_bound(history, key(fresh), {}, key);
  if (at == history.end() || key(*at) != key(fresh)) at = history.insert(at, fresh);
  at->lengths.push_back(length);
  if (at->lengths.size() > kMostPastRuns) at->lengths.erase(at->lengths.begin());
  history_ = std::make_shared<const RunHistory>(std::move(history));
}

}  // namespace trellis
