#include "actions/moves/move_set_trial.h"

#include <algorithm>
#include <string>
#include <utility>

#include "actions/workloads/admission.h"
#include "session/cycle/gang_step.h"
#include "session/cycle/session_workloads.h"
#include "session/placement/gang_needs.h"
#include "session/placement/workload_demand.h"

namespace trellis {
namespace {

std::string name_of(const Cluster& cluster, const RoomSeeker& waiting) {
  const StringTable& strings = cluster.vocabulary().strings;
  auto full = [&](const char* kind, const auto& record) {
    return std::string(kind) + " " + std::string(strings.view(record.name_space)) + "/" +
           record.name;
  };
  return waiting.gang.valid() ? full("gang", cluster.gangs()[waiting.gang])
                              : full("workload", cluster.workloads()[waiting.workload]);
}

bool same_places(const Admission& a, const Admission& b) {
  return std::ranges::equal(a.pod_sets, b.pod_sets,
                            [](const PodSetAdmission& x, const PodSetAdmission& y) {
                              return x.flavors == y.flavors && x.topology == y.topology;
                            });
}

// Below one unit that asks nothing.
void append_below(std::vector<PlacementUnit>& units, std::vector<PlacementUnit> more) {
  auto first = static_cast<int32_t>(units.size());
  for (PlacementUnit& unit : more) {
    unit.parent = unit.parent >= 0 ? unit.parent + first : 0;
    units.push_back(std::move(unit));
  }
}

struct PlacedPod {
  PodId pod;
  NodeId node;
  GpuGrant devices;
};

void take_slots(Statement& statement, const UnitPlace& place) {
  for (const std::vector<SlotFill>* fills : {&place.leaders, &place.workers}) {
    for (const SlotFill& fill : *fills) {
      statement.take_slots(fill.pod_class, fill.node, fill.count, FitMode::Future);
    }
  }
}

}  // namespace

void MoveSetTrial::begin(const RoomSeeker& waiting) {
  waiting_ = waiting;
  times_ = kept_.times();
  work_ = waiting.gang.valid() ? session_.search_work(waiting.gang)
                               : session_.config().limits.search_budget;
}

bool MoveSetTrial::undo(const Mark& mark) {
  session_.statement().rollback(mark.checkpoint);
  decisions_.resize(mark.decisions);
  return false;
}

void MoveSetTrial::make_leave(std::span<const Mover* const> movers) {
  leaving_.clear();
  Beneficiary by{waiting_.gang, waiting_.workload};
  for (const Mover* mover : movers) {
    WorkloadDecision& decision = leaving_.emplace_back();
    if (mover->workload.valid()) {
      Reason reason{.code = ReasonCode::Moved, .plugin = "consolidation"};
      reason.subject = name_of(session_.cluster(), waiting_);
      decision = leave(session_, mover->workload, std::move(reason), by);
      continue;
    }
    for (PodId pod : mover->pods) session_.statement().evict(pod, by.gang, by.workload);
  }
  hold_back();
}

// Movers are kept out of the same room as what waits, so the run time of none of them counts.
void MoveSetTrial::hold_back() {
  held_.clear();
  if (times_ == nullptr) return;
  times_->serve(waiting_.gang);
  times_->held(waiting_.gang, {session_.now(), kNever}, held_);
  session_.statement().hold_back(held_);
}

bool MoveSetTrial::run(std::span<const Mover* const> movers) {
  decisions_.clear();
  stayers_.clear();
  Mark start = mark();
  make_leave(movers);
  bool placed = waiting_.gang.valid() ? place_gang(movers) : place_workload(movers);
  if (!placed || !promises_hold(session_)) return undo(start);
  session_.statement().release(held_);
  return true;
}

std::optional<std::vector<NodeId>> MoveSetTrial::nodes_without(
    std::span<const Mover* const> movers) {
  Mark start = mark();
  make_leave(movers);
  std::vector<NodeId> nodes;
  bool placed = waiting_.gang.valid() ? find_gang(nodes) : find_workload(nodes);
  undo(start);
  if (!placed) return std::nullopt;
  std::ranges::sort(nodes);
  nodes.erase(std::ranges::unique(nodes).begin(), nodes.end());
  return nodes;
}

bool MoveSetTrial::find_gang(std::vector<NodeId>& nodes) {
  size_t before = session_.statement().decision_count();
  if (!place_gang_alone()) return false;
  const auto& made = session_.statement().decisions();
  for (size_t i = before; i < made.size(); ++i) nodes.push_back(made[i].node);
  return true;
}

bool MoveSetTrial::find_workload(std::vector<NodeId>& nodes) {
  nominator_.begin(waiting_.workload, waiting_.queue);
  const Workload& workload = session_.cluster().workloads()[waiting_.workload];
  Nomination nomination;
  WorkloadPlace place;
  auto accept = [&](const Nomination& with) {
    return nominator_.search().place(workload, with.placed, FitMode::Future, place);
  };
  if (!nominator_.find(Nominator::Need::Quota, nomination, accept)) return false;
  for (const PodSetPlace& set : place.pod_sets) {
    for (const SlotFill& fill : set.slots) nodes.push_back(fill.node);
  }
  return true;
}

bool MoveSetTrial::place_gang(std::span<const Mover* const> movers) {
  Mark before = mark();
  if (place_gang_alone() && place_movers(movers)) return true;
  undo(before);
  return place_together(nullptr, movers) || undo(before);
}

bool MoveSetTrial::place_gang_alone() {
  GangProgress progress(waiting_.gang, work_);
  GangStep step = progress.next(session_, promises_);
  work_ = progress.work_left();
  return step.result == GangStep::Result::Placed;
}

// With the first of its sets of flavors that leaves room for the movers, too.
bool MoveSetTrial::place_workload(std::span<const Mover* const> movers) {
  nominator_.begin(waiting_.workload, waiting_.queue);
  const Workload& workload = session_.cluster().workloads()[waiting_.workload];
  Nomination found;
  auto accept = [&](const Nomination& with) {
    Mark before = mark();
    Nomination own = with;
    if (nominator_.search().place(workload, own.placed, FitMode::Future, own.place) &&
        decide(own, kOwn, movers) && place_movers(movers)) {
      return true;
    }
    undo(before);
    return place_together(&with, movers) || undo(before);
  };
  return nominator_.find(Nominator::Need::Quota, found, accept);
}

// Those with the largest pods first.
bool MoveSetTrial::place_movers(std::span<const Mover* const> movers) {
  auto size = [&](size_t index) {
    std::pair<int64_t, int64_t> largest;
    auto look_at = [&](PodClassId pod_class) {
      const ResourceList& requests = session_.cluster().pod_classes()[pod_class].requests;
      largest = std::max(largest, {requests.get(kGpu), requests.get(kCpu)});
    };
    const Mover& mover = *movers[index];
    for (PodId pod : mover.pods) look_at(session_.snapshot().key(pod).pod_class);
    if (!mover.workload.valid()) return largest;
    std::ranges::for_each(session_.cluster().workloads().classes(mover.workload), look_at);
    return largest;
  };
  std::vector<size_t> order;
  for (size_t i = 0; i < movers.size(); ++i) order.push_back(i);
  std::ranges::stable_sort(order, std::ranges::greater(), size);
  return std::ranges::all_of(order, [&](size_t i) { return place_mover(i, *movers[i]); }) &&
         all_moved(movers);
}

bool MoveSetTrial::place_mover(size_t index, const Mover& mover) {
  if (mover.gang.valid()) {
    promises_.set_work(work_);
    SearchResult result = promises_.place_again(mover.gang, mover.pods);
    work_ = promises_.work_left();
    return result == SearchResult::Placed;
  }
  const Workload& workload = session_.cluster().workloads()[mover.workload];
  ClusterQueueId queue = session_.snapshot().workloads().queue_of(mover.workload);
  others_.begin(mover.workload, queue);
  std::vector<int32_t> counts;
  for (const PodSetAdmission& set : workload.admission->pod_sets) counts.push_back(set.count);
  others_.set_counts(counts);
  Nomination found;
  Nomination placed;
  auto accept = [&](const Nomination& with) {
    placed = with;
    return !with.placed.empty() &&
           others_.search().place(workload, with.placed, FitMode::Future, placed.place);
  };
  if (!others_.find(Nominator::Need::Quota, found, accept)) return false;
  decisions_.push_back(move(session_, placed, leaving_[index]));
  return true;
}

// Movers keep their flavors here.
bool MoveSetTrial::place_together(const Nomination* own, std::span<const Mover* const> movers) {
  Party party;
  if (!make_party(own, movers, party) || !search(party)) return false;
  size_t next = 0;
  if (own != nullptr && !decide(party.nominations[next++], kOwn, movers)) return false;
  for (size_t i = 0; i < movers.size(); ++i) {
    if (!movers[i]->workload.valid()) continue;
    if (!decide(party.nominations[next++], i, movers)) return false;
  }
  return all_moved(movers);
}

bool MoveSetTrial::make_party(const Nomination* own, std::span<const Mover* const> movers,
                              Party& party) const {
  const Cluster& cluster = session_.cluster();
  if (own != nullptr) party.nominations.push_back(*own);
  if (waiting_.gang.valid()) {
    party.gangs.push_back({waiting_.gang, next_pods(session_, waiting_.gang)});
  }
  for (const Mover* mover : movers) {
    if (mover->gang.valid()) {
      party.gangs.push_back({mover->gang, mover->pods});
      continue;
    }
    std::optional<Nomination> same = nomination_of(
        session_, mover->workload, session_.snapshot().workloads().queue_of(mover->workload),
        *cluster.workloads()[mover->workload].admission);
    if (!same) return false;
    party.nominations.push_back(std::move(*same));
  }
  for (const Nomination& nomination : party.nominations) {
    std::optional<UnitError> error;
    std::vector<WorkloadUnit> units =
        workload_units(cluster, cluster.workloads()[nomination.workload], nomination.placed, error);
    if (error) return false;
    std::erase_if(units, [](const WorkloadUnit& unit) {
      return unit.workers.count == 0 && (!unit.leader || unit.leader->count == 0);
    });
    party.unit_counts.push_back(units.size());
    party.units.insert(party.units.end(), units.begin(), units.end());
  }
  return !party.units.empty();
}

// Places the party in the statement, as slots and promises.
bool MoveSetTrial::search(Party& party) {
  Statement& statement = session_.statement();
  Statement::Checkpoint before = statement.checkpoint();
  WorkloadDemand demand(session_, party.units, DomainId());
  if (!demand.reserved()) return false;
  std::vector<std::vector<LeafPods>> leaves;
  for (const GangPods& gang : party.gangs) leaves.push_back(leaves_of(session_, gang.pods));
  std::vector<const RowPods*> rows = demand.rows();
  for (const std::vector<LeafPods>& of_gang : leaves) {
    for (const LeafPods& leaf : of_gang) {
      for (const RowPods& row : leaf.rows) rows.push_back(&row);
    }
  }
  auto make = [&](SegmentForm form) {
    std::vector<PlacementUnit> units(1);
    append_below(units, demand.make_units(form));
    for (size_t i = 0; i < party.gangs.size(); ++i) {
      append_below(units, make_units(session_, party.gangs[i].gang, leaves[i], form));
    }
    return units;
  };
  joint_.budget().refill(work_);
  SearchResult result = joint_.place(rows, make);
  work_ = joint_.budget().left();
  if (result != SearchResult::Placed) return false;
  std::vector<UnitPlace> places;
  for (size_t i = 0; i < party.units.size(); ++i) {
    places.push_back(place_of(session_, party.units[i], demand.workers(i), demand.leader(i)));
  }
  std::vector<PlacedPod> pods;
  for (const GangPods& gang : party.gangs) {
    for (PodId pod : gang.pods) {
      PlacedPod& placed = pods.emplace_back();
      placed.pod = pod;
      placed.node = session_.snapshot().pod(pod).node;
      placed.devices = session_.snapshot().grant(pod);
    }
  }
  statement.rollback(before);
  for (const PlacedPod& placed : pods) {
    statement.place_on(placed.pod, placed.node, FitMode::Future, placed.devices);
  }
  for (const UnitPlace& place : places) take_slots(statement, place);
  size_t first = 0;
  for (size_t i = 0; i < party.nominations.size(); ++i) {
    size_t count = std::exchange(first, first + party.unit_counts[i]);
    party.nominations[i].place =
        workload_place(std::span(party.units).subspan(count, party.unit_counts[i]),
                       std::span(places).subspan(count, party.unit_counts[i]));
  }
  return true;
}

// Takes quota for the nomination, whose slots are in the statement. `mover`: its index, or kOwn.
bool MoveSetTrial::decide(const Nomination& nomination, size_t mover,
                          std::span<const Mover* const> movers) {
  if (!session_.hooks().quota_rules->fits(nomination.queue, nomination.amounts)) return false;
  decisions_.push_back(mover == kOwn ? promise(session_, nomination, waits_for(movers.size()))
                                     : move(session_, nomination, leaving_[mover]));
  return true;
}

Reason MoveSetTrial::waits_for(size_t movers) const {
  Reason reason{.code = ReasonCode::WaitingForMovedWorkloads, .plugin = "consolidation"};
  reason.found = static_cast<int64_t>(movers);
  return reason;
}

// Whether each mover has another place, and no gang more than its queue may have. A mover that
// could stay is not in the way: a smaller set would do.
bool MoveSetTrial::all_moved(std::span<const Mover* const> movers) {
  auto may_keep_places = [&](GangId gang) {
    return !gang.valid() || may_keep(session_, gang).code == ReasonCode::None;
  };
  stayers_.clear();
  for (const Mover* mover : movers) {
    if (!may_keep_places(mover->gang)) return false;
    if (stays(*mover)) stayers_.push_back(mover);
  }
  return stayers_.empty() && may_keep_places(waiting_.gang);
}

bool MoveSetTrial::stays(const Mover& mover) const {
  const Cluster& cluster = session_.cluster();
  if (mover.gang.valid()) {
    return std::ranges::all_of(mover.pods, [&](PodId pod) {
      NodeId now = cluster.find_node(cluster.pods()[pod].pod.node);
      return session_.snapshot().pod(pod).node == now;
    });
  }
  auto moved = std::ranges::find_if(decisions_, [&](const WorkloadDecision& decision) {
    return decision.workload == mover.workload;
  });
  return same_places(*moved->admission, *cluster.workloads()[mover.workload].admission);
}

}  // namespace trellis
