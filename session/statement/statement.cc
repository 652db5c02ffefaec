#include "session/statement/statement.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "framework/append.h"
#include "framework/gpu_share.h"

namespace trellis {
namespace {

using Kind = UndoLog::Note::Kind;

// The presence that a note of each kind results in.
constexpr Presence kPresence[] = {Presence::Stays, Presence::Stays, Presence::Promised,
                                  Presence::Evicted};

uint64_t slot_key(PodClassId pod_class, NodeId node) {
  return (uint64_t{pod_class.value} << 32) | node.value;
}

}  // namespace

void Statement::rollback(Checkpoint checkpoint) {
  log_.rollback(checkpoint.mark, [&](UndoLog::Note note) {
    if (note.kind == Kind::Touched) {
      snapshot_.changes_.touch(note.node);
      return;
    }
    notify_undone(note);
  });
  decisions_.resize(checkpoint.decisions);
  entered_ = checkpoint.entered;
  for (; slots_.size() > checkpoint.slots; slots_.pop_back()) {
    notify_slots(slots_.back(), -slots_.back().notified);
  }
}

template <class Notify>
void Statement::each_listener(UndoLog::Note note, Notify notify) {
  PodClassId pod_class = snapshot_.key(note.pod).pod_class;
  for (const auto& listener : hooks_.listeners) {
    if (listener.point->tracks(pod_class)) notify(*listener.point, pod_class);
  }
}

void Statement::notify_listeners(UndoLog::Note note) {
  each_listener(note, [&](PlacementListener& listener, PodClassId pod_class) {
    Presence presence = kPresence[static_cast<size_t>(note.kind)];
    if (!exists(note.pod)) return listener.placed(pod_class, note.node, presence);
    if (note.kind == Kind::Evicted) {
      listener.pod_removed(note.pod, pod_class, note.node, Presence::Stays);
    }
    listener.pod_placed(note.pod, pod_class, note.node, presence);
  });
}

void Statement::notify_undone(UndoLog::Note note) {
  each_listener(note, [&](PlacementListener& listener, PodClassId pod_class) {
    Presence presence = kPresence[static_cast<size_t>(note.kind)];
    if (!exists(note.pod)) return listener.removed(pod_class, note.node, presence);
    listener.pod_removed(note.pod, pod_class, note.node, presence);
    if (note.kind == Kind::Evicted) {
      listener.pod_placed(note.pod, pod_class, note.node, Presence::Stays);
    }
  });
}

// A promise may take more than what leaves: then it takes from what is free now.
void Statement::cap_now(ResourceId resource, NodeId node) {
  int64_t& now = snapshot_.state_.now[resource][node];
  int64_t future = snapshot_.state_.future[resource][node];
  if (now > future) log_.set(now, future);
}

bool Statement::place(PodId pod, NodeId node, FitMode mode, int64_t followers) {
  const PodKey& key = snapshot_.key(pod);
  const PodSpec& spec = cluster_.pod_classes()[key.pod_class];
  GpuGrant grant;
  if (spec.gpu_share.active()) {
    if (hooks_.device_granter != nullptr) {
      grant = hooks_.device_granter->grant(key.pod_class, mode, node, followers);
    }
    if (grant.empty()) return false;
  }
  place_on(pod, node, mode, grant);
  return true;
}

void Statement::place_on(PodId pod, NodeId node, FitMode mode, const GpuGrant& devices) {
  const PodKey& key = snapshot_.key(pod);
  const PodSpec& spec = cluster_.pod_classes()[key.pod_class];
  NodeState& state = snapshot_.state_;
  for (const ResourceAmount& item : spec.requests.items()) {
    take(state.future[item.resource][node], item.amount);
    if (mode == FitMode::Now) {
      take(state.now[item.resource][node], item.amount);
    } else {
      cap_now(item.resource, node);
    }
  }
  if (!devices.empty()) take_devices(pod, node, mode, devices);
  charge(key, node, 1);
  bool now = mode == FitMode::Now;
  bool evicted = snapshot_.pod(pod).status == PodStatus::Evicted;
  move_pod(pod, {node, now ? PodStatus::Bound : PodStatus::Pipelined},
           now ? Kind::Bound : Kind::Promised);
  bool waited = !evicted && key.hold == PodHold::None;
  count_pod(key, 1, waited ? -1 : 0);
  append(decisions_, {now ? Decision::Kind::Bind : Decision::Kind::Pipeline, pod, node, GangId(),
                      WorkloadId(), std::exchange(entered_, PodClassId())});
}

void Statement::take_devices(PodId pod, NodeId node, FitMode mode, const GpuGrant& grant) {
  NodeState& state = snapshot_.state_;
  uint32_t first = state.first_device[node];
  for (const GpuPart& part : grant) {
    size_t device = first + static_cast<size_t>(part.device);
    bool opens = state.device_future[device] == kWholeDevice;
    // Whole pods hold devices that have no number: while some leave, a promise is on one of theirs.
    bool leaving_device = state.future[kGpu][node] - state.now[kGpu][node] >= kWholeDevice;
    take(state.device_future[device], part.portion_milli);
    if (opens) take(state.future[kGpu][node], kWholeDevice);
    if (mode == FitMode::Now) {
      bool opens_now = state.device_now[device] == kWholeDevice;
      take(state.device_now[device], part.portion_milli);
      if (opens_now) take(state.now[kGpu][node], kWholeDevice);
    } else if (state.device_now[device] == kWholeDevice && opens && leaving_device) {
      log_.set(state.device_now[device], 0);
    } else if (state.device_now[device] > state.device_future[device]) {
      bool opens_now = state.device_now[device] == kWholeDevice;
      log_.set(state.device_now[device], state.device_future[device]);
      if (opens_now) take(state.now[kGpu][node], kWholeDevice);
    }
  }
  cap_now(kGpu, node);
  // What a pod holds until it has left is kept: the eviction may be undone.
  bool promised = mode == FitMode::Future;
  (promised ? snapshot_.promised_grants_ : snapshot_.grants_)[pod.value] = grant;
}

void Statement::shift_room(std::span<const NodeId> nodes, int64_t pods) {
  for (NodeId node : nodes) {
    take(snapshot_.state_.now[kPods][node], -pods);
    take(snapshot_.state_.future[kPods][node], -pods);
    log_.note({Kind::Touched, node, PodId()});
    snapshot_.changes_.touch(node);
  }
}

void Statement::shift_room(std::span<const HeldRoom> rooms, int64_t times) {
  for (const HeldRoom& room : rooms) {
    take(snapshot_.state_.now[room.resource][room.node], times * room.amount);
    take(snapshot_.state_.future[room.resource][room.node], times * room.amount);
    log_.note({Kind::Touched, room.node, PodId()});
    snapshot_.changes_.touch(room.node);
  }
}

// Takes the amounts of `now` and `future` pods; negative numbers give back.
void Statement::shift(PodClassId pod_class, NodeId node, int64_t now, int64_t future) {
  NodeState& state = snapshot_.state_;
  for (const ResourceAmount& item : cluster_.pod_classes()[pod_class].requests.items()) {
    ResourceId resource = item.resource;
    if (now != 0) take(state.now[resource][node], saturating_product(item.amount, now));
    if (future != 0) take(state.future[resource][node], saturating_product(item.amount, future));
    if (future > now) cap_now(resource, node);
  }
  log_.note({Kind::Touched, node, PodId()});
  snapshot_.changes_.touch(node);
}

void Statement::note_slots(Slots slots) {
  slots_.push_back(slots);
  notify_slots(slots, slots.notified);
}

// Notifies listeners of so many more of these slots, or (negative) fewer.
void Statement::notify_slots(const Slots& slots, int32_t notified) {
  if (notified == 0) return;
  for (const auto& listener : hooks_.listeners) {
    if (!listener.point->tracks(slots.pod_class)) continue;
    Presence presence = presence_for(*listener.point, slots.presence);
    for (int32_t i = 0; i < notified; ++i) {
      listener.point->placed(slots.pod_class, slots.node, presence);
    }
    for (int32_t i = notified; i < 0; ++i) {
      listener.point->removed(slots.pod_class, slots.node, presence);
    }
  }
  SlotCounts& counts = notified_[slot_key(slots.pod_class, slots.node)];
  if (slots.presence == Presence::Stays) counts.stay += notified;
  if (slots.presence == Presence::Promised) counts.promised += notified;
  if (slots.presence == Presence::Spare) counts.spares += notified;
}

void Statement::take_slots(PodClassId pod_class, NodeId node, int32_t count, FitMode mode) {
  bool now = mode == FitMode::Now;
  shift(pod_class, node, now ? count : 0, count);
  bool tracked =
      std::any_of(hooks_.listeners.begin(), hooks_.listeners.end(),
                  [&](const auto& listener) { return listener.point->tracks(pod_class); });
  note_slots({pod_class, node, tracked ? count : 0, now ? Presence::Stays : Presence::Promised});
}

void Statement::leave_slots(PodClassId pod_class, NodeId node, int32_t count) {
  shift(pod_class, node, 0, -count);
  note_leaving(node);
  note_slots({pod_class, node});
}

void Statement::free_slots(PodClassId pod_class, NodeId node, int32_t count) {
  shift(pod_class, node, -count, -count);
  auto known = notified_.find(slot_key(pod_class, node));
  if (known == notified_.end()) return note_slots({pod_class, node});
  int32_t stay = std::min(known->second.stay, count);
  int32_t promised = std::min(known->second.promised, count - stay);
  note_slots({pod_class, node, -stay, Presence::Stays});
  if (promised > 0) note_slots({pod_class, node, -promised, Presence::Promised});
}

void Statement::free_spares(PodClassId pod_class, NodeId node, int32_t count) {
  shift(pod_class, node, -count, -count);
  auto known = notified_.find(slot_key(pod_class, node));
  int32_t spares = known == notified_.end() ? 0 : std::min(known->second.spares, count);
  note_slots({pod_class, node, -spares, Presence::Spare});
}

// Once committed, slots count as promised pods: they keep other pods away by anti-affinity, and do
// not meet their affinity.
void Statement::promise_slots(Presence presence) {
  auto each_that_stays = [&](auto& slots, auto use) {
    for (Slots& row : slots) {
      if (row.notified != 0 && row.presence == Presence::Stays) use(row);
    }
  };
  auto newest_first = std::views::reverse(slots_);
  each_that_stays(newest_first, [&](Slots& row) { notify_slots(row, -row.notified); });
  each_that_stays(slots_, [&](Slots& row) {
    row.presence = presence;
    notify_slots(row, row.notified);
  });
}

void Statement::hold_quota(WorkloadId workload, ClusterQueueId queue,
                           std::vector<QuotaAmount> amounts) {
  snapshot_.workloads_.hold(log_, workload, queue, std::move(amounts));
  workloads_.push_back(workload);
}

void Statement::release_quota(WorkloadId workload) {
  snapshot_.workloads_.release(log_, workload);
  workloads_.push_back(workload);
}

PodId Statement::reserve(std::span<const GangRow> rows) {
  size_t first = cluster_.pods().size();
  size_t end = first + snapshot_.reserved_ids(cluster_);
  size_t next = first;
  for (const GangRow& row : rows) {
    auto count = static_cast<size_t>(row.count);
    if (end - next < count) return PodId();
    for (size_t last = next + count; next < last; ++next) {
      snapshot_.pod_keys_[PodId(next)] = {row.pod_class, GangId(), -1, PodHold::None};
    }
  }
  return PodId(first);
}

void Statement::let_go(PodId pod, PodClassId pod_class) {
  PodKey& key = snapshot_.pod_keys_[pod];
  key.pod_class = pod_class;
  key.hold = PodHold::None;
  ++snapshot_.gang_counts_[key.gang].waiting;
  if (key.subgroup >= 0) {
    ++snapshot_.subgroup_counts_[key.gang][static_cast<size_t>(key.subgroup)].waiting;
  }
  snapshot_.worked_pods_.push_back(pod);
  snapshot_.worked_gangs_.push_back(key.gang);
}

void Statement::evict(PodId pod, GangId by, WorkloadId by_workload) {
  const PodKey& key = snapshot_.key(pod);
  const PodSpec& spec = cluster_.pod_classes()[key.pod_class];
  NodeId node = snapshot_.pod(pod).node;
  for (const ResourceAmount& item : spec.requests.items()) {
    take(snapshot_.state_.future[item.resource][node], -item.amount);
  }
  if (spec.gpu_share.active()) return_devices(pod, node);
  charge(key, node, -1);
  move_pod(pod, {node, PodStatus::Evicted}, Kind::Evicted);
  count_pod(key, -1, 0);
  note_leaving(node);
  append(decisions_, {Decision::Kind::Evict, pod, node, by, by_workload, {}});
}

void Statement::return_devices(PodId pod, NodeId node) {
  NodeState& state = snapshot_.state_;
  for (const GpuPart& part : snapshot_.grant(pod)) {
    size_t device = state.first_device[node] + static_cast<size_t>(part.device);
    if (part.portion_milli == 0) continue;  // unknown, so it never counted
    take(state.device_future[device], -part.portion_milli);
    if (state.device_future[device] == kWholeDevice) take(state.future[kGpu][node], -kWholeDevice);
  }
}

void Statement::charge(const PodKey& key, NodeId node, int64_t times) {
  if (!key.gang.valid()) return;  // reserved
  if (!snapshot_.queues_.queue_of_gang()[key.gang].valid()) return;
  QueueAmounts amounts = snapshot_.queues_.amounts(cluster_, key.pod_class, node);
  snapshot_.queues_.charge(log_, key.gang, cluster_.gangs()[key.gang], amounts, times);
}

void Statement::count_pod(const PodKey& key, int64_t placed, int64_t waiting) {
  if (!key.gang.valid()) return;
  auto count = [&](GangCounts& counts) {
    log_.set(counts.placed, counts.placed + placed);
    if (waiting != 0) log_.set(counts.waiting, counts.waiting + waiting);
  };
  count(snapshot_.gang_counts_[key.gang]);
  if (key.subgroup < 0) return;
  count(snapshot_.subgroup_counts_[key.gang][static_cast<size_t>(key.subgroup)]);
}

void Statement::note_leaving(NodeId node) {
  if (snapshot_.leaving_[node] != 0) return;
  log_.set(snapshot_.leaving_[node], 1);
  log_.set(snapshot_.leaving_nodes_, snapshot_.leaving_nodes_ + 1);
}

void Statement::move_pod(PodId pod, PodState state, Kind kind) {
  log_.set(snapshot_.pods_[pod], pack(state));
  log_.note({Kind::Touched, state.node, pod});
  snapshot_.changes_.touch(state.node);
  if (hooks_.listeners.empty()) return;
  UndoLog::Note note{kind, state.node, pod};
  log_.note(note);
  notify_listeners(note);
}

std::vector<Decision> Statement::commit(std::string_view action) {
  if (!clean()) ++snapshot_.epoch_;
  promise_slots(Presence::Promised);
  for (Decision& decision : decisions_) {
    decision.action = action;
    if (decision.kind == Decision::Kind::Evict) {
      snapshot_.worked_evictions_.emplace_back(decision.pod, decision.node);
    }
    snapshot_.worked_nodes_.push_back(decision.node);
    snapshot_.worked_pods_.push_back(decision.pod);
    snapshot_.worked_gangs_.push_back(snapshot_.key(decision.pod).gang);
  }
  for (const Slots& slots : slots_) {
    snapshot_.worked_nodes_.push_back(slots.node);
    if (slots.notified == 0) continue;
    auto [at, fresh] =
        snapshot_.worked_slots_.try_emplace({slots.pod_class, slots.node, slots.presence}, 0);
    at->second += slots.notified;
    if (at->second == 0) snapshot_.worked_slots_.erase(at);
  }
  slots_.clear();
  for (WorkloadId workload : workloads_) snapshot_.workloads_.forget(workload);
  workloads_.clear();
  log_.clear();
  return std::exchange(decisions_, {});
}

}  // namespace trellis
