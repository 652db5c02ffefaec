#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "actions/actions.h"
#include "actions/backfill/backfill.h"
#include "actions/waiting/gang_queue.h"
#include "actions/waiting/look_ahead.h"
#include "actions/waiting/order_value.h"
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

// Gangs in the background are served once no other gang can be placed.
enum class Round : uint8_t { Foreground, Background };

// Pushes every gang of the round that may be tried; sets the reasons of the others.
void enter_gangs(Session& session, Round round, GangQueue& queue) {
  const Cluster& cluster = session.cluster();
  for (GangId gang : session.snapshot().unsettled_gangs()) {
    if (!cluster.alive(gang) || !wants_pods(session, gang)) continue;
    if (cluster.gangs()[gang].background != (round == Round::Background)) continue;
    std::vector<Reason> refusals = gang_refusals(session, gang);
    if (refusals.empty()) {
      queue.push(gang);
    } else {
      session.set_reasons(gang, std::move(refusals));
    }
  }
}

// How near the gang came to a place takes another search, in a cluster that is fuller by now.
Reason why_not(Session& session, const GangTurn& turn) {
  const GangStep& step = turn.step;
  SearchQuestion question{session.snapshot().epoch(), session.search_work(turn.gang())};
  FailedSearches& kept = session.failed_searches();
  if (const Reason* known = kept.reason(turn.gang(), question, step)) return *known;
  Reason reason = no_fit_reason(session, turn.gang(), step.needed, step.code);
  bool keeps = FailedSearches::is_costly(step) && !depends_on_time(session, turn.gang());
  if (keeps) kept.keep(turn.gang(), question, step, reason);
  return reason;
}

void report_why(Session& session, const GangTurn& turn) {
  bool refused = turn.step.refusal.code != ReasonCode::None;
  session.set_reasons(turn.gang(), {refused ? turn.step.refusal : why_not(session, turn)});
}

// One pass over the waiting gangs, run by run.
class Allocation {
 public:
  explicit Allocation(Session& session)
      : session_(session),
        queue_(session),
        search_(session),
        reservations_(session),
        backfill_(session),
        look_ahead_(session, search_, queue_) {}

  void run(Round round) {
    enter_gangs(session_, round, queue_);
    while (!queue_.empty()) {
      do {
        serve(queue_.pop());
        // Room is kept near the places that gangs have in the order as it stands.
      } while (!keeps_room() && !queue_.empty() && look_ahead_.joins(run_));
      if (!keeps_room()) look_ahead();
      finish();
    }
  }

  void add_reasons() {
    // Reported at the end, when the cluster is as full as this action makes it.
    for (const GangTurn& turn : waiting_) report_why(session_, turn);
    add_late_report_reasons(session_);
    reservations_.add_reasons();
    look_ahead_.add_reasons();
    backfill_.add_reasons();
  }

 private:
  void serve(GangId gang) {
    GangTurn& turn = run_.emplace_back(gang);
    if (auto growing = progress_.extract(gang.value)) turn.progress = std::move(growing.mapped());
    turn.work = session_.search_work(gang);
    turn.start = session_.statement().checkpoint();
    turn.may_change = look_ahead_.may_change(gang);
    if (session_.probe() != nullptr) session_.probe()->gang_begins(gang);
    turn.step = backfill_.step(turn.progress, [this](GangProgress& progress) {
      return reservations_.step(progress, search_);
    });
    if (session_.probe() != nullptr) session_.probe()->gang_ends(gang);
    if (turn.placed()) {
      queue_.settle(gang);
      backfill_.placed(gang);
    }
    if (!turn.waits()) return;
    reservations_.keep_for(gang, turn.step);
    backfill_.waits(gang);
    waited_.push_back(gang);
  }

  // The pods of the run and their nodes.
  std::vector<std::pair<PodId, NodeId>> places() const {
    std::vector<std::pair<PodId, NodeId>> places;
    const std::vector<Decision>& decisions = session_.statement().decisions();
    for (size_t i = run_.front().start.decisions; i < decisions.size(); ++i) {
      places.emplace_back(decisions[i].pod, decisions[i].node);
    }
    return places;
  }

  void look_ahead() {
    if (std::ranges::none_of(run_, &GangTurn::waits)) return;
    std::vector<std::pair<PodId, NodeId>> before = places();
    look_ahead_.improve(run_);
    if (places() != before) note_order();
  }

  // Others may be placed than those that were served, and elsewhere.
  void note_order() {
    for (const GangTurn& turn : run_) {
      if (turn.placed()) backfill_.placed(turn.gang());
    }
    for (const GangTurn& turn : run_) {
      if (!turn.waits()) continue;
      bool waited = std::ranges::find(waited_, turn.gang()) != waited_.end();
      waited ? backfill_.waits(turn.gang()) : backfill_.was_passed(turn.gang());
    }
  }

  bool keeps_room() const { return reservations_.any() || backfill_.any(); }

  // Makes the run final.
  void finish() {
    if (std::ranges::any_of(run_, &GangTurn::placed)) session_.commit(kAllocate);
    for (GangTurn& turn : run_) {
      GangId gang = turn.gang();
      if (turn.waits()) {
        waiting_.push_back(std::move(turn));
        continue;
      }
      if (!turn.placed()) continue;
      if (session_.cluster().gangs()[gang].spares > 0) session_.spares().keep(gang);
      if (run_.size() > 1) queue_.settle(gang);  // its order may be another
      if (session_.snapshot().gang_counts()[gang].waiting == 0) continue;
      progress_.emplace(gang.value, std::move(turn.progress));
      queue_.push(gang);
    }
    run_.clear();
    waited_.clear();
  }

  Session& session_;
  GangQueue queue_;
  GangSearch search_;
  Reservations reservations_;
  BackfillGate backfill_;
  LookAhead look_ahead_;
  std::map<uint32_t, GangProgress> progress_;  // of gangs that may get more pods, by id
  std::vector<GangTurn> run_;                  // not final; as a rule of one gang
  std::vector<GangId> waited_;                 // of the run, when they were served
  std::vector<GangTurn> waiting_;
};

}  // namespace

namespace {

// Gangs that lost pods take the places of their spares, before any other gang is served.
void replace_lost_pods(Session& session) {
  std::vector<GangId> lost = session.spares().gangs_that_lost_pods();
  if (lost.empty()) return;
  GangSearch search(session);
  for (GangId gang : lost) {
    if (!gang_refusals(session, gang).empty()) continue;
    session.spares().lend(gang);
    GangStep step = GangProgress(gang).next(session, search);
    if (step.result == GangStep::Result::Placed) session.commit(kAllocate);
    session.spares().keep(gang);
  }
}

}  // namespace

void allocate(Session& session) {
  place_assigned_pods(session, kAllocate);
  keep_promises(session, kAllocate);
  replace_lost_pods(session);
  Allocation allocation(session);
  allocation.run(Round::Foreground);
  allocation.run(Round::Background);
  allocation.add_reasons();
}

}  // namespace trellis
