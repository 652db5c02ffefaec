#include "actions/backfill/room_times.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "framework/sort_unique.h"

namespace trellis {
namespace {

// Amounts by resource.
using Amounts = std::vector<int64_t>;

void add_requests(Amounts& amounts, const PodSpec& spec, int64_t times) {
  for (const ResourceAmount& item : spec.requests.items()) {
    if (item.resource.value >= amounts.size()) amounts.resize(item.resource.value + 1);
    amounts[item.resource.value] += item.amount * times;
  }
}

}  // namespace

RoomTimes::RoomTimes(Session& session, ExpectedEnds& ends)
    : session_(session), ends_(ends), reserved_(session) {
  for (const Decision& decision : session.decisions()) {
    if (decision.kind != Decision::Kind::Evict) newcomers_[decision.node].push_back(decision.pod);
  }
}

const KeptStart* RoomTimes::start_of(GangId gang) const {
  auto found = std::ranges::find(starts_, gang, &KeptStart::gang);
  return found == starts_.end() ? nullptr : &*found;
}

void RoomTimes::keep(KeptStart start) {
  std::vector<NodeId> nodes;
  if (start.made == session_.now()) {
    pass(start.gang);
    for (const AppointedPlace& place : start.places) nodes.push_back(place.node);
  }
  auto found = std::ranges::find(starts_, start.gang, &KeptStart::gang);
  if (found == starts_.end()) {
    starts_.push_back(std::move(start));
  } else {
    *found = std::move(start);
  }
  index();
  drop_displaced(nodes);
}

void RoomTimes::drop_displaced(std::span<const NodeId> nodes) {
  std::vector<GangId> passed;
  for (NodeId node : nodes) {
    auto found = takers_.find(node);
    if (found == takers_.end()) continue;
    for (const Taker& taker : found->second) {
      const KeptStart& start = starts_[taker.start];
      if (start.passed) passed.push_back(start.gang);
    }
  }
  sort_unique(passed);
  for (GangId gang : passed) {
    KeptStart start = *start_of(gang);
    if (start.start < session_.now()) {
      start.start = session_.now();
      start.end = time_after(start.start, ends_.run_time(gang));
    }
    if (!has_room(start)) drop(gang);
  }
}

void RoomTimes::drop(GangId gang) {
  if (std::erase_if(starts_, [&](const KeptStart& start) { return start.gang == gang; }) > 0) {
    index();
  }
}

void RoomTimes::serve(GangId gang) {
  behind_.clear();
  served_ = gang;
  if (!gang.valid()) return;
  for (const KeptStart& start : starts_) {
    if (start.gang != gang && !binds_now(start, gang)) behind_.insert(start.gang);
  }
}

void RoomTimes::index() {
  takers_.clear();
  for (size_t i = 0; i < starts_.size(); ++i) {
    for (const AppointedPlace& place : starts_[i].places) {
      takers_[place.node].push_back({i, place.pod_class});
    }
  }
}

void RoomTimes::pass(GangId gang) {
  for (KeptStart& start : starts_) {
    start.passed = start.passed || (start.gang != gang && !binds(start, gang));
  }
}

void RoomTimes::placed(GangId gang) {
  ends_.add(gang);
  pass(gang);
  std::vector<NodeId> nodes;
  for (PodId pod : session_.cluster().pods_of(gang)) {
    NodeId node = session_.snapshot().pod(pod).node;
    if (node.valid() && session_.cluster().pods()[pod].node != node) {
      newcomers_[node].push_back(pod);
      nodes.push_back(node);
    }
  }
  drop_displaced(nodes);
}

bool RoomTimes::goes_before(const KeptStart& start, GangId gang) const {
  const auto& queues = session_.snapshot().queues().queue_of_gang();
  return queues[start.gang] != queues[gang] || session_.gang_before(start.gang, gang);
}

// When the pods that stay on the node leave it.
void RoomTimes::collect_ends(NodeId node, std::vector<Event>& events) const {
  auto collect = [&](PodId pod) {
    PodState state = session_.snapshot().pod(pod);
    if (state.node != node || !will_remain(state.status)) return;
    const PodKey& key = session_.snapshot().key(pod);
    TimeUs end = ends_.end_of(key.gang);
    if (end != kNever) events.push_back({end, kFrees, key.pod_class});
  };
  for (PodId pod : session_.cluster().pods_of(node)) collect(pod);
  auto found = newcomers_.find(node);
  if (found == newcomers_.end()) return;
  std::vector<PodId> pods = found->second;
  sort_unique(pods);
  for (PodId pod : pods) {
    if (session_.cluster().pods()[pod].node != node) collect(pod);
  }
}

template <class Counts>
void RoomTimes::collect_starts(NodeId node, const RunWindow& window, Counts counts,
                               std::vector<Event>& events) const {
  auto found = takers_.find(node);
  if (found == takers_.end()) return;
  for (const Taker& taker : found->second) {
    const KeptStart& start = starts_[taker.start];
    if (!start.meets(window.from, window.until) || !counts(start)) continue;
    bool stands = start.start <= window.from && window.from > session_.now();
    if (!stands) {
      events.push_back({std::max(start.start, window.from), kTakes, taker.pod_class});
    }
    if (start.end < window.until) events.push_back({start.end, kFrees, taker.pod_class});
  }
}

void RoomTimes::hold_node(NodeId node, GangId gang, const RunWindow& window,
                          std::vector<HeldRoom>& rooms) const {
  std::vector<Event> events;
  collect_starts(
      node, window, [&](const KeptStart& start) { return binds(start, gang); }, events);
  bool shares = std::ranges::any_of(events, [&](const Event& event) {
    return event.sign == kTakes && spec_of(event.pod_class).gpu_share.active();
  });
  if (shares) rooms.push_back({node, kPods, Statement::kWholeNode});
  if (shares || events.empty()) return;
  collect_ends(node, events);
  // What becomes free comes first: it is free for those that start then.
  std::ranges::sort(events, {},
                    [](const Event& event) { return std::pair(event.at, -event.sign); });
  Amounts more;
  Amounts least;  // 0 at most
  for (const Event& event : events) {
    if (event.at >= window.until) break;
    add_requests(more, spec_of(event.pod_class), event.sign);
    least.resize(more.size());
    for (size_t i = 0; i < more.size(); ++i) least[i] = std::min(least[i], more[i]);
  }
  for (uint32_t i = 0; i < least.size(); ++i) {
    if (least[i] < 0) rooms.push_back({node, ResourceId(i), -least[i]});
  }
}

void RoomTimes::held(GangId gang, const RunWindow& window, std::vector<HeldRoom>& rooms) const {
  std::vector<NodeId> nodes;
  for (const KeptStart& start : starts_) {
    if (!binds(start, gang) || !start.meets(window.from, window.until)) continue;
    for (const AppointedPlace& place : start.places) nodes.push_back(place.node);
  }
  sort_unique(nodes);
  for (NodeId node : nodes) hold_node(node, gang, window, rooms);
  for (const ReservedNodes::Kept& kept : reserved_.kept()) {
    const Reservation& reservation = *kept.reservation;
    bool meets = reservation.from < window.until && reservation.to > window.from;
    if (!meets || reserved_.may_use(gang, reservation)) continue;
    for (NodeId node : kept.nodes) rooms.push_back({node, kPods, Statement::kWholeNode});
  }
}

const KeptStart* RoomTimes::met(GangId gang, const RunWindow& window,
                                std::span<const NodeId> nodes) const {
  for (const KeptStart& start : starts_) {
    if (!binds(start, gang) || !start.meets(window.from, window.until)) continue;
    bool here = std::ranges::any_of(start.places, [&](const AppointedPlace& place) {
      return std::ranges::binary_search(nodes, place.node);
    });
    if (here) return &start;
  }
  return nullptr;
}

const Reservation* RoomTimes::met_reservation(GangId gang, const RunWindow& window,
                                              std::span<const NodeId> nodes) const {
  for (const ReservedNodes::Kept& kept : reserved_.kept()) {
    const Reservation& reservation = *kept.reservation;
    bool meets = reservation.from < window.until && reservation.to > window.from;
    if (!meets || reserved_.may_use(gang, reservation)) continue;
    bool here = std::ranges::any_of(
        kept.nodes, [&](NodeId node) { return std::ranges::binary_search(nodes, node); });
    if (here) return &reservation;
  }
  return nullptr;
}

bool RoomTimes::has_room_on(NodeId node, std::span<const AppointedPlace> places,
                            const KeptStart& start) const {
  std::vector<Event> events;
  auto counts = [&](const KeptStart& other) {
    return other.gang != start.gang && goes_before(other, start.gang);
  };
  collect_starts(node, {session_.now(), kNever}, counts, events);
  collect_ends(node, events);
  std::ranges::sort(events, {},
                    [](const Event& event) { return std::pair(event.at, -event.sign); });
  Amounts asked;
  for (const AppointedPlace& place : places) add_requests(asked, spec_of(place.pod_class), 1);
  Amounts more;
  size_t next = 0;
  auto fits = [&] {
    for (uint32_t i = 0; i < asked.size(); ++i) {
      int64_t room = session_.snapshot().state().future[ResourceId(i)][node];
      if (i < more.size()) room += more[i];
      if (asked[i] > 0 && room < asked[i]) return false;
    }
    return true;
  };
  for (; next < events.size() && events[next].at <= start.start; ++next) {
    add_requests(more, spec_of(events[next].pod_class), events[next].sign);
  }
  if (!fits()) return false;
  for (; next < events.size() && events[next].at < start.end; ++next) {
    add_requests(more, spec_of(events[next].pod_class), events[next].sign);
    if (!fits()) return false;
  }
  return true;
}

bool RoomTimes::has_room(const KeptStart& start) const {
  const Cluster& cluster = session_.cluster();
  std::vector<NodeId> nodes;
  for (const AppointedPlace& place : start.places) {
    NodeId node = place.node;
    if (!cluster.alive(node)) return false;
    if (session_.fits().class_verdict(place.pod_class, node) != ReasonCode::None) return false;
    nodes.push_back(node);
  }
  if (met_reservation(start.gang, {start.start, start.end}, nodes) != nullptr) return false;
  for (size_t first = 0, last = 0; first < nodes.size(); first = last) {
    while (last < nodes.size() && nodes[last] == nodes[first]) ++last;
    std::span places = std::span(start.places).subspan(first, last - first);
    if (!has_room_on(nodes[first], places, start)) return false;
  }
  return true;
}

}  // namespace trellis
