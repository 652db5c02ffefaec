#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "actions/actions.h"
#include "session/cluster/gang_life.h"
#include "session/cycle/session.h"
#include "session/cycle/session_workloads.h"

namespace trellis {
namespace {

// Whether the gang is stale at the end of the cycle: pods that were promised a node in this cycle
// count. Gangs with pods in slots are handled with their workload.
bool is_stale(const Session& session, GangId id) {
  if (session.snapshot().gang_counts()[id].placed == 0 || session.has_minimum(id)) return false;
  return !has_succeeded_pods(session.cluster(), id) && !has_pods_in_slots(session, id);
}

bool is_overdue(const Session& session, const Gang& gang) {
  TimeUs grace = staleness_grace_us(gang, session.config().limits);
  if (grace < 0) return false;
  // A gang that was not seen stale before is stale from now on.
  TimeUs since = gang.stale_since == kNoTime ? session.now() : gang.stale_since;
  return session.now() - since >= grace;
}

void evict(Session& session, GangId gang, std::string_view action) {
  size_t evicted = 0;
  for (PodId pod : session.ranked_pods(gang)) {
    PodState state = session.snapshot().pod(pod);
    // Where the pod's node is gone there is nothing to free.
    if (!is_active(state.status) || !state.node.valid()) continue;
    session.statement().evict(pod, GangId());
    ++evicted;
  }
  if (evicted == 0) return;
  session.commit(action);
  Reason reason;
  reason.code = ReasonCode::StaleGang;
  reason.found = static_cast<int64_t>(evicted);
  reason.needed = session.cluster().gangs()[gang].min_member;
  session.set_reasons(gang, {std::move(reason)});
}

}  // namespace

void evict_stale_gangs(Session& session) {
  const Cluster& cluster = session.cluster();
  std::vector<GangId> overdue;
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId gang(i);
    if (!cluster.alive(gang) || !is_stale(session, gang)) continue;
    if (is_overdue(session, cluster.gangs()[gang])) overdue.push_back(gang);
  }
  // The evictions are independent of each other; this is only the order of the decisions in the
  // record.
  std::sort(overdue.begin(), overdue.end(),
            [&](GangId a, GangId b) { return session.gang_before(a, b); });
  for (GangId gang : overdue) evict(session, gang, "stalegangeviction");
}

}  // namespace trellis
