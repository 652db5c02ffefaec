#include "actions/moves/movers.h"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

#include "actions/victims/gang_units.h"
#include "actions/victims/next_place.h"
#include "session/cycle/session_workloads.h"

namespace trellis {
namespace {

// The rules that decide whether consolidation may move a gang.
bool rules_allow(const Session& session, GangId id) {
  const Gang& gang = session.cluster().gangs()[id];
  if (!gang.preemptible || gang.keeps_minimum || session.placed_here(id)) return false;
  return std::ranges::all_of(session.hooks().victim_rules, [&](const auto& rule) {
    return rule.point->verdict(id, GangId(), MoveCause::Consolidation, session.now()) ==
           ReasonCode::None;
  });
}

bool may_move(const Session& session, const Mover& mover) {
  GangId id = mover.gang;
  const QueueLedger& queues = session.snapshot().queues();
  bool in_queue = queues.tree().empty() || queues.queue_of_gang()[id].valid();
  return in_queue && !mover.pods.empty() && rules_allow(session, id) &&
         !has_pods_in_slots(session, id) && comes_back(session, id) &&
         std::ranges::all_of(mover.pods, [&](PodId pod) { return has_next_place(session, pod); });
}

// Whether all that the workload holds is in places which can be found again. Without the plugin
// `quota` no workload moves: nothing would admit it again.
bool may_move(const Session& session, WorkloadId id) {
  if (session.hooks().quota_rules == nullptr) return false;
  const Workload& workload = session.cluster().workloads()[id];
  bool stands = workload.movable && may_start(workload) && !lacks_topology(*workload.admission) &&
                workload.reclaimable.empty() && session.admission(id) == &*workload.admission;
  if (!stands || !admission_bars(session.cluster(), id).empty()) return false;
  return std::ranges::all_of(workload.admission->pod_sets, [](const PodSetAdmission& set) {
    return set.count == 0 || set.topology;
  });
}

Mover mover_of(const Session& session, WorkloadId id) {
  Mover mover{.gang = {},
              .workload = id,
              .priority = session.cluster().workloads()[id].priority,
              .pods = {}};
  for (PodId pod : session.cluster().workloads().pods_of(id)) {
    PodState state = session.snapshot().pod(pod);
    if (is_active(state.status) && state.node.valid()) mover.pods.push_back(pod);
  }
  std::ranges::sort(mover.pods);
  return mover;
}

bool allows_all(const Session& session, const Mover& mover) {
  return std::ranges::all_of(mover.pods, [&](PodId pod) {
    return rules_allow(session, session.snapshot().key(pod).gang);
  });
}

// Later created, then later by name.
auto age_of(const Session& session, const Mover& mover) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  auto key = [&](const auto& record) {
    return std::tuple(record.created == kNoTime ? INT64_MIN : record.created,
                      strings.view(record.name_space), std::string_view(record.name));
  };
  return mover.gang.valid() ? key(cluster.gangs()[mover.gang])
                            : key(cluster.workloads()[mover.workload]);
}

}  // namespace

bool workloads_may_move(const Config& config) {
  return config.placement_profile != PlacementProfile::Kueue &&
         config.limits.consolidation_victims != 0 && !config.wait_for_pods_ready.block_admission &&
         std::ranges::count(config.actions, "admit") > 0;
}

std::vector<Mover> find_movers(const Session& session) {
  const Cluster& cluster = session.cluster();
  std::vector<Mover> movers;
  for (WorkloadId id : session.snapshot().workloads().holders()) {
    if (!may_move(session, id)) continue;
    Mover mover = mover_of(session, id);
    if (allows_all(session, mover)) movers.push_back(std::move(mover));
  }
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId id(i);
    if (!cluster.alive(id) || session.snapshot().gang_counts()[id].placed == 0) continue;
    Mover mover{.gang = id,
                .workload = {},
                .priority = cluster.gangs()[id].priority,
                .pods = pods_to_move(session, id, -1)};
    std::ranges::reverse(mover.pods);
    if (may_move(session, mover)) movers.push_back(std::move(mover));
  }
  std::ranges::sort(movers, [&](const Mover& a, const Mover& b) {
    if (a.priority != b.priority) return a.priority < b.priority;
    auto x = age_of(session, a);
    auto y = age_of(session, b);
    return x != y ? x > y : a.gang.valid() > b.gang.valid();
  });
  return movers;
}

bool may_still_move(const Session& session, const Mover& mover) {
  if (mover.gang.valid()) {
    return !session.placed_here(mover.gang) && std::ranges::all_of(mover.pods, [&](PodId pod) {
      return is_active(session.snapshot().pod(pod).status);
    });
  }
  const Workload& workload = session.cluster().workloads()[mover.workload];
  return session.admission(mover.workload) == &*workload.admission;
}

}  // namespace trellis
