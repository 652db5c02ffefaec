#include "server/serve/history.h"

#include <algorithm>
#include <map>
#include <utility>

#include "server/view/gang_summary.h"
#include "server/wording/names_text.h"

namespace trellis {
namespace {

void add_gang_events(std::vector<PastEvent>& events, const PastEvent& empty,
                     const CycleRecord& record, const Cluster& cluster, GangId gang,
                     const GangDecisions& decided) {
  auto add = [&](std::string_view what, int64_t pods) {
    if (pods == 0) return;
    PastEvent event = empty;
    event.kind = "gang";
    event.name = full_name(cluster, gang);
    event.what = what;
    event.pods = pods;
    bool stays = what != "evicted" && record.gangs[gang].placement;
    if (stays) event.place = placement_text(record.gangs[gang].placement);
    events.push_back(std::move(event));
  };
  add("evicted", decided.evicted);
  add("promised", decided.promised);
  add("placed", decided.bound);
}

PastEvent workload_event(const PastEvent& empty, const WorkloadDecision& decision,
                         const Cluster& cluster) {
  PastEvent event = empty;
  event.kind = "workload";
  event.name = full_name(cluster, decision.workload);
  event.what = decision_text(decision.kind);
  event.pods = count_pods(decision, cluster);
  return event;
}

}  // namespace

void History::take(const FinishedCycle& cycle, const Cluster& cluster, const CycleTally& tally) {
  if (cycle.cluster_number != cluster_number_) {
    cluster_number_ = cycle.cluster_number;
    gangs_.forget();
    workloads_.forget();
  }
  const CycleRecord& record = *cycle.record;
  CycleSummary sums = tally.summary();
  PastCycle past{.number = cycle.number,
                 .now = record.now,
                 .duration_ns = cycle.times.cycle_ns,
                 .gpus = sums.gpus - sums.gpus_closed,
                 .gpus_used = sums.gpus_used,
                 .pods_placed = sums.pods_placed,
                 .gangs_waiting = tally.gangs_waiting(),
                 .workloads_waiting = tally.workloads_waiting()};
  PastEvent empty{.cycle = cycle.number, .now = record.now};
  std::vector<PastEvent> events;
  for (const auto& [gang, decided] : decisions_by_gang(record, cluster)) {
    past.bound += decided.bound;
    past.promised += decided.promised;
    past.evicted += decided.evicted;
    if (!gangs_.is_news(gang.value, decided.hash)) continue;
    ++past.events;
    if (events.size() < kEventsOfCycle) {
      add_gang_events(events, empty, record, cluster, gang, decided);
    }
  }
  gangs_.end_cycle();
  for (const WorkloadDecision& decision : record.workload_decisions) {
    past.workloads_admitted += decision.kind == WorkloadDecision::Kind::Admit ? 1 : 0;
    past.workloads_evicted += evicts(decision) ? 1 : 0;
    if (!workloads_.is_news(decision.workload.value, decision_hash(decision))) continue;
    ++past.events;
    if (events.size() < kEventsOfCycle) events.push_back(workload_event(empty, decision, cluster));
  }
  workloads_.end_cycle();
  std::lock_guard lock(mutex_);
  cycles_.add(past);
  for (PastEvent& event : events) events_.add(std::move(event));
}

History::Part History::after(int64_t number, size_t limit) const {
  std::lock_guard lock(mutex_);
  return {.cycles = cycles_.last(limit, [&](const PastCycle& one) { return one.number > number; }),
          .events = events_.last(limit, [&](const PastEvent& one) { return one.cycle > number; })};
}

}  // namespace trellis
