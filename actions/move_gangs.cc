#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "actions/actions.h"
#include "actions/backfill/kept_starts.h"
#include "actions/backfill/room_guard.h"
#include "actions/moves/move_search.h"
#include "actions/victims/victim_search.h"
#include "actions/waiting/gang_queue.h"
#include "actions/waiting/promised_places.h"
#include "actions/waiting/reservations.h"
#include "session/cycle/late_reports.h"
#include "session/cycle/session.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

// A kind of gangs that request the same under the same rules: where one found nothing, the others
// find nothing either.
using GangKind =
    std::tuple<QueueId, int32_t, bool, StrId, StrId, PodClassId, size_t, StrId, TimeUs>;

class GangMover {
 public:
  // `workloads`: moves workloads, too; null: none may move. `kept`: the appointments that are
  // heeded.
  GangMover(Session& session, MoveCause cause, std::string_view action, DisruptionLimits& limits,
            MoveSearch* workloads, KeptStarts& kept)
      : session_(session),
        cause_(cause),
        action_(action),
        pool_(session),
        kept_(kept),
        search_(session, pool_, limits, kept),
        workloads_(workloads),
        plain_search_(session),
        reservations_(session) {}

  // The victims of the gang that was served last, if it was given a place.
  const std::vector<GangId>& victims() const { return victims_; }

  // True: the gang was given a place.
  bool serve(GangId gang) {
    victims_.clear();
    bool asks = may_ask(gang);
    if (!asks && session_.config().limits.reserve_after_us <= 0) return false;
    Statement::Checkpoint start = session_.statement().checkpoint();
    GangStep step = find_room(gang, start);
    if (step.result == GangStep::Result::Placed) return take_room(gang, start);
    if (step.refusal.code == ReasonCode::ReservedForOther) return false;
    reservations_.keep_for(gang, step);
    if (!asks) return false;
    MoveRequest request = make_request(gang);
    std::optional<GangKind> kind = kind_of(request);
    bool failed = kind && failed_.contains(*kind);
    if (request.rows.empty() || hopeless(request, failed)) return false;
    if (!may_move_others(request) || failed) return false;
    MoveSearchResult result = search_.run(request);
    if (result.outcome == MoveSearchResult::Outcome::Moved) {
      session_.commit(action_);
      victims_ = search_.settle();
      note_places(gang);
      session_.set_reasons(gang, {});
      return true;
    }
    if (workloads_ != nullptr && workloads_->run({.gang = gang, .workload = {}, .queue = {}})) {
      victims_ = workloads_->moved_gangs();
      note_places(gang);
      return true;
    }
    if (kind) failed_.insert(*kind);
    // Where it has room, and leaves it to another, room is not what it lacks.
    bool kept = is_kept_back(step.refusal.code) && cause_ == MoveCause::Consolidation;
    if (!kept) add_reason(request, result);
    return false;
  }

 private:
  // The room that the gang has without moves, beside appointments.
  GangStep find_room(GangId gang, Statement::Checkpoint start) {
    auto next = [this](GangProgress& progress) {
      return reservations_.step(progress, plain_search_);
    };
    GangProgress progress(gang);
    GangStep step = next(progress);
    if (step.result != GangStep::Result::Placed || !kept_.active()) return step;
    session_.statement().rollback(start);
    RoomGuard guard(session_, kept_.times());
    guard.serve(gang);
    progress = GangProgress(gang);
    return guard.step(progress, next);
  }

  // The gang and those that were moved for it have other places: some appointments are over.
  void note_places(GangId gang) {
    RoomTimes* times = kept_.times();
    if (times == nullptr) return;
    times->drop(gang);
    times->placed(gang);
    for (GangId victim : victims_) times->placed(victim);
  }

  bool may_ask(GangId gang) const {
    if (cause_ != MoveCause::Consolidation) return true;
    const Gang& record = session_.cluster().gangs()[gang];
    return record.preemptible && (!record.keeps_minimum || session_.has_minimum(gang));
  }

  // A gang that has room already is left to allocate; only consolidation places it, because it is
  // about room.
  bool take_room(GangId gang, Statement::Checkpoint start) {
    if (cause_ != MoveCause::Consolidation || !may_ask(gang)) {
      session_.statement().rollback(start);
      return false;
    }
    session_.commit(action_);
    session_.set_reasons(gang, {});
    note_places(gang);
    return true;
  }

  MoveRequest make_request(GangId gang) {
    MoveRequest request;
    request.gang = gang;
    request.cause = cause_;
    request.rows = group_rows(session_.snapshot(), next_pods(session_, gang));
    const QueueLedger& queues = session_.snapshot().queues();
    for (const RowPods& row : request.rows) {
      QueueAmounts one = queues.amounts(session_.cluster(), row.pod_class, NodeId());
      request.need.add(one, static_cast<int64_t>(row.pods.size()));
    }
    return request;
  }

  // Consolidation frees no devices: the cluster has to have enough that no staying pod holds. Cost:
  // O(nodes), and O(1) as long as nothing changes where there is not enough.
  bool hopeless(const MoveRequest& request, bool failed) {
    if (cause_ != MoveCause::Consolidation) return false;
    if (failed || session_.config().limits.consolidation_victims == 0) return true;
    int64_t wanted = 0;
    for (const RowPods& row : request.rows) {
      const PodSpec& spec = session_.cluster().pod_classes()[row.pod_class];
      auto pods = static_cast<int64_t>(row.pods.size());
      wanted = add_to_sum(wanted, saturating_product(spec.requests.get(kGpu), pods));
    }
    uint64_t position = session_.snapshot().changes().end();
    if (position == counted_at_) return wanted > free_devices_;
    int64_t free = 0;
    const NodeState& state = session_.snapshot().state();
    for (size_t i = 0; i < state.future[kGpu].size(); ++i) {
      if (free >= wanted) return false;
      free += std::max<int64_t>(0, state.future[kGpu][NodeId(i)]);
      for (int64_t left : state.devices(NodeId(i), FitMode::Future)) {
        if (left < kMilli) free += std::max<int64_t>(0, left);
      }
    }
    counted_at_ = position;
    free_devices_ = free;
    return wanted > free;
  }

  bool may_move_others(const MoveRequest& request) {
    const Gang& gang = session_.cluster().gangs()[request.gang];
    Reason reason;
    if (!gang.moves_others) reason.code = ReasonCode::NeverMovesOthers;
    TimeUs since = session_.waiting_since(request.gang);
    if (since != kNoTime && session_.now() - since < gang.preemption_delay_us) {
      reason.code = ReasonCode::PreemptionDelay;
    }
    bool in_queue = session_.snapshot().queues().queue_of_gang()[request.gang].valid();
    if (cause_ == MoveCause::Reclaim) {
      if (!in_queue) return false;
      const QueueRules& rules = *session_.hooks().queue_rules;
      if (reason.code == ReasonCode::None) reason = rules.may_reclaim(request.gang, request.need);
    }
    if (reason.code == ReasonCode::None) return true;
    if (cause_ == MoveCause::Background) return false;  // the action itself follows
    reason.plugin = action_;
    session_.add_reason(request.gang, std::move(reason));
    return false;
  }

  std::optional<GangKind> kind_of(const MoveRequest& request) const {
    const Gang& gang = session_.cluster().gangs()[request.gang];
    bool simple = gang.subgroups.empty() && gang.segments.empty() && request.rows.size() == 1 &&
                  session_.placed_nodes(request.gang).empty();
    if (!simple) return std::nullopt;
    return GangKind{session_.snapshot().queues().queue_of_gang()[request.gang].raw(),
                    gang.priority,
                    gang.preemptible && !gang.keeps_minimum,
                    gang.topology.topology,
                    gang.topology.required,
                    request.rows.front().pod_class,
                    request.rows.front().pods.size(),
                    kept_.active() ? gang.name_space : StrId(),
                    kept_.active() ? gang.run_time_us : kNoTime};
  }

  // It is no news that nothing ran before this cycle, or that nothing can be moved together.
  bool says_something(const Reason& reason) const {
    return cause_ != MoveCause::Consolidation &&
           std::any_of(reason.verdicts.begin(), reason.verdicts.end(),
                       [](const VerdictCount& verdict) {
                         return verdict.code != ReasonCode::PlacedThisCycle;
                       });
  }

  void add_reason(const MoveRequest& request, const MoveSearchResult& result) {
    if (cause_ == MoveCause::Background) return;  // the action itself follows
    bool exhausted = result.outcome == MoveSearchResult::Outcome::BudgetExhausted;
    Reason reason;
    reason.code = exhausted ? ReasonCode::SearchBudgetExhausted : ReasonCode::VictimsNoFit;
    if (result.code == ReasonCode::NoVictims || result.code == ReasonCode::UnfairExchange ||
        result.code == ReasonCode::DisruptionBudgetBlocks) {
      reason.code = result.code;
    }
    if (result.kept_back.code != ReasonCode::None) reason = result.kept_back;
    reason.plugin = action_;
    reason.found = result.trials;
    reason.verdicts = pool_.verdicts();
    if (reason.code == ReasonCode::NoVictims && !says_something(reason)) return;
    session_.add_reason(request.gang, std::move(reason));
  }

  Session& session_;
  MoveCause cause_;
  std::string_view action_;
  VictimPool pool_;
  KeptStarts& kept_;
  VictimSearch search_;
  MoveSearch* workloads_;
  GangSearch plain_search_;
  Reservations reservations_;
  int64_t free_devices_ = 0;          // what staying pods leave of all devices
  uint64_t counted_at_ = UINT64_MAX;  // position in the snapshot's changes
  std::set<GangKind> failed_;
  std::vector<GangId> victims_;
};

// For each waiting gang, in order, searches for other gangs that can be moved for it. Commits what
// it finds in the name of `action`; sets the reasons of gangs for which it finds nothing.
void move_gangs(Session& session, MoveCause cause, std::string_view action, KeptStarts& kept,
                MoveSearch* workloads = nullptr) {
  GangQueue queue(session);
  const Cluster& cluster = session.cluster();
  for (uint32_t i = 0; i < cluster.gangs().size(); ++i) {
    GangId gang(i);
    if (session.snapshot().gang_counts()[gang].waiting == 0 || !cluster.alive(gang)) continue;
    if (cluster.gangs()[gang].background) continue;  // it moves no other
    if (gang_refusals(session, gang).empty()) queue.push(gang);
  }
  if (queue.empty()) return;
  std::optional<DisruptionLimits> own;
  DisruptionLimits& limits = workloads != nullptr ? workloads->limits() : own.emplace(session);
  GangMover mover(session, cause, action, limits, workloads, kept);
  while (!queue.empty()) {
    GangId gang = queue.pop();
    if (session.probe() != nullptr) session.probe()->gang_begins(gang);
    bool placed = mover.serve(gang);
    if (session.probe() != nullptr) session.probe()->gang_ends(gang);
    if (!placed) continue;
    queue.settle(gang);
    for (GangId victim : mover.victims()) queue.settle(victim);
  }
}

// An action, with the appointments that allocate left.
class HeededStarts {
 public:
  HeededStarts(Session& session, std::string_view action) : session_(session) {
    keep_promises(session, action);
    add_late_report_reasons(session);
    kept_.emplace(session, session.appointments());
  }
  ~HeededStarts() {
    if (session_.appointments() != nullptr) kept_->leave();
  }
  HeededStarts(const HeededStarts&) = delete;
  HeededStarts& operator=(const HeededStarts&) = delete;

  KeptStarts& starts() { return *kept_; }

 private:
  Session& session_;
  std::optional<KeptStarts> kept_;
};

// Gangs in the background leave first, whichever action comes first; they are preempted.
void displace_background(Session& session, KeptStarts& kept) {
  if (session.snapshot().background_gangs().empty()) return;
  move_gangs(session, MoveCause::Background, "preempt", kept);
}

}  // namespace

void consolidate(Session& session) {
  const PlacementStrategy& strategy = session.config().placement_strategy;
  if (strategy.gpu == Strategy::Spread || strategy.cpu == Strategy::Spread) return;
  HeededStarts kept(session, "consolidation");
  const std::vector<std::string>& actions = session.config().actions;
  bool may_leave =
      std::ranges::count(actions, "preempt") + std::ranges::count(actions, "reclaim") > 0;
  if (may_leave) displace_background(session, kept.starts());
  MoveSearch workloads(session, kept.starts());
  move_for_heads(session, workloads);
  move_gangs(session, MoveCause::Consolidation, "consolidation", kept.starts(), &workloads);
}

void reclaim(Session& session) {
  HeededStarts kept(session, "reclaim");
  displace_background(session, kept.starts());
  // Without shares no queue has a claim on what another holds: both would take it back in turn.
  if (session.hooks().queue_rules == nullptr) return;
  move_gangs(session, MoveCause::Reclaim, "reclaim", kept.starts());
}

void preempt(Session& session) {
  HeededStarts kept(session, "preempt");
  displace_background(session, kept.starts());
  move_gangs(session, MoveCause::Preempt, "preempt", kept.starts());
}

}  // namespace trellis
