#include "actions/backfill/backfill.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "actions/backfill/quota_times.h"
#include "actions/backfill/room_guard.h"
#include "actions/backfill/start_search.h"
#include "framework/sort_unique.h"
#include "topology/tree.h"

namespace trellis {
namespace {

std::vector<NodeId> nodes_of(const KeptStart& start) {
  std::vector<NodeId> nodes;
  for (const AppointedPlace& place : start.places) nodes.push_back(place.node);
  sort_unique(nodes);
  return nodes;
}

// Names the lowest domain that holds all the nodes, in the gang's topology.
void name_domain(const Session& session, GangId gang, std::span<const NodeId> nodes, Reason& note) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  StrId topology = cluster.gangs()[gang].topology.topology;
  if (!topology.valid()) return;
  TopologyId id = cluster.find_topology(strings.view(topology));
  if (!id.valid()) return;
  const TopologyTree& tree = session.snapshot().trees()[id];
  DomainId all;
  for (NodeId node : nodes) {
    if (!tree.contains(node)) return;
    DomainId domain = tree.domain_of(node);
    if (!all.valid()) all = domain;
    while (all != domain) {
      DomainId& lower = tree.level_of(all) > tree.level_of(domain) ? all : domain;
      if (tree.level_of(lower) < 0) return;
      lower = tree.parent(lower);
    }
  }
  int level = tree.level_of(all);
  if (level < 0) return;
  note.topology = cluster.topologies()[id].name;
  note.level = strings.view(cluster.topologies()[id].levels[static_cast<size_t>(level)].label);
  for (StrId value : tree.path(all)) note.domain.emplace_back(strings.view(value));
}

}  // namespace

BackfillGate::BackfillGate(Session& session)
    : session_(session), kept_(session, session.found_appointments()), times_(kept_.times()) {}

GangStep BackfillGate::step(GangProgress& progress, const Step& next) {
  if (times_ == nullptr) return next(progress);
  const KeptStart* own = times_->start_of(progress.gang());
  GangStep step = RoomGuard(session_, times_).step(progress, next);
  bool due = own != nullptr && own->start <= session_.now();
  bool fails = step.result == GangStep::Result::Waits;
  return due && fails ? take_places(progress.gang(), std::move(step)) : step;
}

// The appointment is due, and the search found no place: the gang takes the appointed ones.
GangStep BackfillGate::take_places(GangId gang, GangStep step) {
  Statement& statement = session_.statement();
  Statement::Checkpoint start = statement.checkpoint();
  KeptStart own = *times_->start_of(gang);
  own.start = session_.now();
  own.end = time_after(own.start, times_->ends().run_time(gang));
  if (!times_->has_room(own)) return step;
  const std::vector<AppointedPlace>& places = own.places;
  bool all = std::ranges::all_of(places, [&](const AppointedPlace& place) {
    return session_.fits().fit_now(place.pod_class, FitMode::Now, place.node) > 0 &&
           session_.fits().link_verdict(place.pod_class, FitMode::Now, place.node).passes() &&
           statement.place(place.pod, place.node, FitMode::Now);
  });
  bool refused =
      step.refusal.code != ReasonCode::None && step.refusal.code != ReasonCode::BehindAppointment;
  bool may = all && !refused && session_.has_minimum(gang) &&
             may_keep(session_, gang).code == ReasonCode::None &&
             QuotaTimes(session_, *times_).delayed(gang, times_->window_of(gang)) == nullptr;
  if (!may) {
    statement.rollback(start);
    return step;
  }
  step = GangStep();
  step.result = GangStep::Result::Placed;
  step.needed = static_cast<int64_t>(places.size());
  return step;
}

void BackfillGate::placed(GangId gang) {
  if (times_ == nullptr) return;
  if (startless_.erase(gang) > 0) --head_of(gang).tries;
  times_->placed(gang);
  if (session_.has_minimum(gang)) times_->drop(gang);
}

Backfill BackfillGate::mode_of(GangId gang) const {
  const QueueLedger& ledger = session_.snapshot().queues();
  Maybe<QueueId> queue = ledger.queue_of_gang()[gang];
  QueueId at = queue ? *queue : QueueId();
  while (at.valid() && at.value < session_.cluster().queues().size()) {
    if (const auto& own = session_.cluster().queues()[at].backfill) return *own;
    at = ledger.tree().parent(at);
  }
  return session_.config().queues.backfill;
}

bool BackfillGate::may_have_start(GangId gang, Head& head) const {
  if (session_.has_minimum(gang) || session_.cluster().gangs()[gang].background) return false;
  Backfill mode = mode_of(gang);
  if (mode == Backfill::None || head.tries >= kMostTries) return false;
  return mode == Backfill::Conservative || !head.gang.valid() || head.gang == gang;
}

// The appointment that the gang has, or an earlier one; another one where its places will not have
// room any more.
std::optional<KeptStart> BackfillGate::renew(GangId gang) {
  std::optional<KeptStart> kept;
  const KeptStart* own = times_->start_of(gang);
  bool holds = own != nullptr && own->start > session_.now() && times_->has_room(*own) &&
               (!own->passed || QuotaTimes(session_, *times_).allow(*own));
  if (holds) {
    kept = *own;
    if (session_.now() < kept->made + (kept->start - kept->made) / 2) return kept;
    kept->made = session_.now();
  }
  if (!kept) times_->drop(gang);
  TimeUs before = kept ? kept->start : kNever;
  std::optional<KeptStart> found = StartSearch(session_, *times_).run(gang, before);
  return found ? found : kept;
}

BackfillGate::Head& BackfillGate::head_of(GangId gang) {
  Maybe<QueueId> queue = session_.snapshot().queues().queue_of_gang()[gang];
  return heads_[queue ? (*queue).value : UINT32_MAX];
}

void BackfillGate::waits(GangId gang) {
  if (times_ == nullptr) return;
  Head& head = head_of(gang);
  if (startless_.erase(gang) > 0) --head.tries;
  if (!may_have_start(gang, head)) return times_->drop(gang);
  std::optional<KeptStart> start = renew(gang);
  if (!start) {
    startless_.insert(gang);
    ++head.tries;
    return times_->drop(gang);
  }
  head.gang = gang;
  times_->keep(*std::move(start));
}

void BackfillGate::was_passed(GangId gang) {
  if (times_ == nullptr) return;
  times_->set_late(gang);
  waits(gang);
  times_->set_late(GangId());
}

// Where the gang will be, and which gang's end it waits for: the last one before its start.
Reason BackfillGate::note_of(const KeptStart& start) const {
  const Cluster& cluster = session_.cluster();
  Reason note;
  note.code = ReasonCode::StartAppointed;
  note.at = start.start;
  std::vector<NodeId> nodes = nodes_of(start);
  note.nodes = static_cast<int64_t>(nodes.size());
  name_domain(session_, start.gang, nodes, note);
  TimeUs last = kNoTime;
  auto consider = [&](TimeUs end, GangId gang) {
    if (end > start.start || gang == start.gang) return;
    std::string name = full_gang_name(cluster, gang);
    if (end < last || (end == last && name >= note.subject)) return;
    last = end;
    note.subject = std::move(name);
  };
  for (NodeId node : nodes) {
    for (PodId pod : cluster.pods_of(node)) {
      if (!will_remain(session_.snapshot().pod(pod).status)) continue;
      GangId gang = session_.snapshot().key(pod).gang;
      consider(times_->ends().end_of(gang), gang);
    }
  }
  for (const KeptStart& other : times_->starts()) {
    if (times_->met(start.gang, {other.start, other.end}, nodes) == &other) {
      consider(other.end, other.gang);
    }
  }
  return note;
}

void BackfillGate::add_reasons() {
  if (!any()) return;
  for (const KeptStart& start : times_->starts()) {
    session_.add_reason(start.gang, note_of(start));
  }
  kept_.leave();
}

}  // namespace trellis
