#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "actions/actions.h"
#include "actions/waiting/gang_queue.h"
#include "actions/waiting/promised_places.h"
#include "actions/waiting/reservations.h"
#include "actions/workloads/assigned_pods.h"
#include "session/cycle/failed_searches.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/late_reports.h"
#include "session/cycle/session.h"
#include "session/placement/near_miss.h"

namespace trellis {
namespace {

constexpr std::string_view kAllocate = "allocate";

// Whether the gang has, or is to have, pods that remain.
bool is_live(const Session& session, GangId gang) {
  const std::vector<PodId>& pods = session.cluster().pods_of(gang);
  return pods.empty() || std::any_of(pods.begin(), pods.end(), [&](PodId pod) {
           PodStatus status = session.snapshot().pod(pod).status;
           return status == PodStatus::Pending || will_remain(status);
         });
}

bool wants_pods(const Session& session, GangId gang) {
  const GangCounts& counts = session.snapshot().gang_counts()[gang];
  if (counts.waiting > 0) return true;
  return !session.has_minimum(gang) && is_live(session, gang);
}

struct Waiting {
  GangId gang;
  GangStep step;
};

// Pushes every gang that may be tried; sets the reasons of the others.
void enter_gangs(Session& session, GangQueue& queue) {
  const Cluster& cluster = session.cluster();
  for (GangId gang : session.snapshot().unsettled_gangs()) {
    if (!cluster.alive(gang) || !wants_pods(session, gang)) continue;
    std::vector<Reason> refusals = gang_refusals(session, gang);
    if (refusals.empty()) {
      queue.push(gang);
    } else {
      session.set_reasons(gang, std::move(refusals));
    }
  }
}

// How near the gang came to a place takes another search, in a cluster that is fuller by now.
Reason why_not(Session& session, const Waiting& entry) {
  const GangStep& step = entry.step;
  SearchQuestion question{session.snapshot().epoch(), session.search_work(entry.gang)};
  FailedSearches& kept = session.failed_searches();
  if (const Reason* known = kept.reason(entry.gang, question, step)) return *known;
  Reason reason = no_fit_reason(session, entry.gang, step.needed, step.code);
  bool keeps = FailedSearches::is_costly(step) && !depends_on_time(session, entry.gang);
  if (keeps) kept.keep(entry.gang, question, step, reason);
  return reason;
}

void report_why(Session& session, const Waiting& entry) {
  bool refused = entry.step.refusal.code != ReasonCode::None;
  session.set_reasons(entry.gang, {refused ? entry.step.refusal : why_not(session, entry)});
}

}  // namespace

void allocate(Session& session) {
  place_assigned_pods(session, kAllocate);
  keep_promises(session, kAllocate);
  GangQueue queue(session);
  enter_gangs(session, queue);
  GangSearch search(session);
  Reservations reservations(session);
  // Gangs that are partly placed or being tried, by id; made when first tried.
  std::map<uint32_t, GangProgress> progress;
  std::vector<Waiting> waiting;
  while (!queue.empty()) {
    GangId gang = queue.pop();
    auto at = progress.try_emplace(gang.value, gang).first;
    if (session.probe() != nullptr) session.probe()->gang_begins(gang);
    GangStep step = reservations.step(at->second, search);
    if (session.probe() != nullptr) session.probe()->gang_ends(gang);
    if (step.result == GangStep::Result::Placed) {
      session.commit(kAllocate);
      queue.settle(gang);
      if (session.snapshot().gang_counts()[gang].waiting > 0) {
        queue.push(gang);
        continue;
      }
    } else if (step.result == GangStep::Result::Waits) {
      reservations.keep_for(gang, step);
      waiting.push_back({gang, std::move(step)});
    }
    progress.erase(at);
  }
  // Reported at the end, when the cluster is as full as this action makes it.
  for (const Waiting& entry : waiting) report_why(session, entry);
  tell_late_reports(session);
  reservations.tell();
}

}  // namespace trellis
