#include "server/kube/bind/kube_sink.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include "server/document/timestamp.h"
#include "server/kube/bind/claim_grants.h"
#include "server/kube/bind/evictions.h"
#include "server/system/clock.h"
#include "server/wording/names_text.h"
#include "server/writeback/between_cycles.h"
#include "server/writeback/device_names.h"
#include "session/cluster/gang_life.h"

namespace trellis {
namespace {

// The longest sleep when nothing is due; a change or a stop ends it earlier.
constexpr int64_t kLongMs = 3'600'000;

PodWrite order_about(const Cluster& cluster, PodId id, PodWrite::Kind kind, TimeUs decided) {
  const PodSlot& slot = cluster.pods()[id];
  PodWrite order;
  order.kind = kind;
  order.name_space = cluster.vocabulary().strings.view(slot.pod.name_space);
  order.name = slot.pod.name;
  order.uid = slot.pod.uid;
  order.decided = decided;
  if (slot.gang.valid()) order.gang = full_name(cluster, slot.gang);
  return order;
}

PodWrite bind_order(const Cluster& cluster, PodId id, const PodOutcome& outcome,
                    const std::vector<std::string>& devices, TimeUs decided) {
  PodWrite order = order_about(cluster, id, PodWrite::Kind::Bind, decided);
  order.node = cluster.nodes()[outcome.node].name;
  if (!outcome.details().devices.empty()) order.grants = grants_of(cluster, id, outcome);
  for (const BindNote& note : outcome.details().notes) {
    bool label = note.kind == BindNote::Kind::Label;
    (label ? order.labels : order.annotations).emplace_back(note.key, note.value);
  }
  std::ranges::move(group_labels(devices), std::back_inserter(order.labels));
  return order;
}

void log_pod_event(Log& log, const PodEvent& event) {
  std::string pod = event.write.name_space + "/" + event.write.name;
  switch (event.what) {
    case PodEvent::What::Bound:
      return log.event(LogLevel::Debug, "pod bound", {{"pod", pod}, {"node", event.write.node}});
    case PodEvent::What::BindFailed:
      return log.event(LogLevel::Warn, "pod could not be bound",
                       {{"pod", pod}, {"node", event.write.node}, {"why", event.why}});
    case PodEvent::What::Evicted:
      return log.event(LogLevel::Info, "pod evicted", {{"pod", pod}});
    case PodEvent::What::EvictionFailed:
      return log.event(LogLevel::Warn, "pod could not be evicted",
                       {{"pod", pod}, {"why", event.why}});
  }
}

// Whether the cluster already reflects that this bind failed.
bool is_known(const Cluster& cluster, const PodWrite& failed) {
  PodId id = cluster.find_pod(failed.name_space, failed.name);
  if (!id.valid()) return true;
  const Pod& pod = cluster.pods()[id].pod;
  return pod.uid != failed.uid || !is_active(pod.status) || pod.node != failed.node;
}

// REQUIRES: the pod is in the cluster.
const Pod& pod_of(const Cluster& cluster, const PodWrite& order) {
  return cluster.pods()[cluster.find_pod(order.name_space, order.name)].pod;
}

ClaimBook::GangPod gang_pod(const CycleRecord& record, const Cluster& cluster, PodWrite bind) {
  PodId id = cluster.find_pod(bind.name_space, bind.name);
  bool waits = bool(cluster.pods()[id].pod.waiting_claims);
  ClaimBook::GangPod made{.bind = std::move(bind), .waits = waits, .claims = {}};
  for (const ClaimChoice& choice : record.pods[id].details().claims) {
    made.claims.push_back({.name_space = made.bind.name_space,
                           .name = std::string(cluster.vocabulary().strings.view(choice.claim)),
                           .node = made.bind.node,
                           .volume = choice.volume});
  }
  return made;
}

bool can_use(const PodVolumes& volumes, const Node& node, const StringTable& strings) {
  return std::ranges::all_of(volumes.affinities, [&](const std::vector<SelectorTerm>& terms) {
    return std::ranges::any_of(terms, [&](const SelectorTerm& term) {
      return matches(term, node.labels, node.name, strings);
    });
  });
}

// What the cluster, which assumes the bind, shows of the pod's claims.
ClaimBook::Sight claims_of(const Cluster& cluster, const PodWrite& bind) {
  using ClaimState = ClaimBook::State;
  PodId id = cluster.find_pod(bind.name_space, bind.name);
  if (!id.valid() || cluster.pods()[id].pod.uid != bind.uid) {
    return {ClaimState::Failed, "the pod is gone"};
  }
  const PodSlot& slot = cluster.pods()[id];
  bool here = slot.pod.status == PodStatus::Bound && slot.pod.node == bind.node;
  if (!here || !slot.node.valid()) return {ClaimState::Failed, "the pod has lost its place"};
  if (slot.pod.hold != PodHold::None && slot.pod.hold != PodHold::Workload) {
    return {ClaimState::Failed, "one of its claims cannot be used any more"};
  }
  const SharedValue<PodVolumes>& volumes = cluster.pod_classes()[slot.pod_class].volumes;
  if (!volumes) return {ClaimState::Bound, ""};
  if (volumes->waiting.empty()) {
    bool usable = can_use(*volumes, cluster.nodes()[slot.node], cluster.vocabulary().strings);
    if (usable) return {ClaimState::Bound, ""};
    return {ClaimState::Failed,
            "a volume that was made for it cannot be used on node " + bind.node};
  }
  bool chosen = std::ranges::all_of(volumes->waiting,
                                    [](const WaitingClaim& claim) { return claim.node.valid(); });
  return {chosen ? ClaimState::Chosen : ClaimState::Waits, ""};
}

GangId find_gang(const Cluster& cluster, const std::string& name) {
  size_t slash = name.find('/');
  if (slash == std::string::npos) return {};
  return cluster.find_gang(std::string_view(name).substr(0, slash),
                           std::string_view(name).substr(slash + 1));
}

}  // namespace

KubeSink::KubeSink(Options options, Log& log)
    : options_(std::move(options)),
      log_(log),
      shared_(std::make_shared<Shared>(BindBook::Options{
          .seed = options_.seed,
          .removal = options_.policy.removal,
          .node_there = options_.node_there,
          .on_event = [&log](const PodEvent& event) { log_pod_event(log, event); },
          .copies_labels = options_.copies_labels})),
      sender_([this](const std::stop_token& stop) { run(stop); }) {}

KubeSink::~KubeSink() = default;

KubeSink::Shared::Shared(BindBook::Options options)
    : claims(options.on_event),
      grants(
          {.on_event = options.on_event, .now_text = [] { return format_timestamp(wall_us()); }}),
      book(std::move(options)) {}

void KubeSink::Shared::order_binds(int64_t now_ms, std::vector<PodWrite> pods) {
  bool grants_devices =
      std::ranges::any_of(pods, [](const PodWrite& bind) { return !bind.grants.empty(); });
  if (grants_devices) return grants.order(now_ms, std::move(pods));
  for (PodWrite& bind : pods) book.order(now_ms, std::move(bind));
}

void KubeSink::Shared::pass_on(int64_t now_ms) {
  for (PodWrite& bind : grants.take_ready()) book.order(now_ms, std::move(bind));
  for (const PodWrite& bind : book.take_given_up()) grants.release(now_ms, bind);
}

void KubeSink::Shared::wake() {
  {
    std::lock_guard lock(mutex);
    changed = true;
  }
  woken.notify_all();
}

bool KubeSink::active() {
  bool now = !options_.active || options_.active();
  if (now && !was_active_) {
    std::lock_guard lock(shared_->mutex);
    shared_->book.disown();
    shared_->claims.disown();
    shared_->grants.disown();
    doubtful_.clear();
  }
  was_active_ = now;
  return now;
}

std::vector<PodWrite> KubeSink::orders_of(const CycleRecord& record, const Cluster& cluster) const {
  std::vector<PodWrite> orders;
  std::optional<DeviceNames> devices;
  const std::set<PodId> suspended = pods_of_leaving_workloads(record, cluster);
  for (const Decision& decision : record.decisions) {
    PodId id = decision.pod;
    bool evicts = decision.kind == Decision::Kind::Evict;
    const PodOutcome& outcome = record.pods[id];
    if (is_bound_by(record, id, cluster.pods()[id])) {
      if (!outcome.gpus.empty() && !devices) devices.emplace(cluster, record);
      std::vector<std::string> held;
      if (devices) held = devices->of(outcome);
      orders.push_back(bind_order(cluster, id, outcome, held, record.now));
    } else if (evicts && is_evicted_by(record, id, cluster.pods()[id])) {
      PodWrite order = order_about(cluster, id, PodWrite::Kind::Evict, record.now);
      order.cause = eviction_note(cluster, decision);
      bool by_itself = suspended.contains(id) &&
                       leaves_by_suspension(*options_.objects, order.name_space, order.name);
      if (by_itself) order.grace_ms = kSuspensionMs;
      orders.push_back(std::move(order));
    }
  }
  return orders;
}

// Gangs that are below their minimum because binds of their pods failed. A gang is returned once
// the cluster reflects all of its failed binds.
std::vector<GangId> KubeSink::broken_gangs(const Cluster& cluster) {
  for (PodWrite& order : shared_->book.take_failed_binds()) {
    doubtful_[order.gang].push_back(std::move(order));
  }
  std::vector<GangId> broken;
  std::erase_if(doubtful_, [&](const auto& entry) {
    const auto& [name, failed] = entry;
    auto known = [&](const PodWrite& order) { return is_known(cluster, order); };
    if (!std::all_of(failed.begin(), failed.end(), known)) return false;
    GangId gang = find_gang(cluster, name);
    if (gang.valid() && runs_below_minimum(cluster, gang)) broken.push_back(gang);
    return true;
  });
  return broken;
}

void KubeSink::repair(const CycleRecord& record, const Cluster& cluster, GangId gang,
                      int64_t now_ms) {
  std::string name = full_name(cluster, gang);
  if (options_.policy.on_failed == OnFailedBind::Refill) {
    log_.event(LogLevel::Warn, "gang is below its minimum after a bind failed: it is refilled",
               {{"gang", name}});
    return;
  }
  log_.event(LogLevel::Warn, "gang is below its minimum after a bind failed: it is evicted",
             {{"gang", name}});
  std::vector<PodWrite> bound;
  for (PodId id : cluster.pods_of(gang)) {
    if (!is_active(cluster.pods()[id].pod.status)) continue;
    PodWrite order = order_about(cluster, id, PodWrite::Kind::Evict, record.now);
    order.cause = kNotEnoughBound;
    // A bind that is still open is undone once it has been carried out (withdraw()).
    if (!shared_->book.has_open_bind(order.name_space, order.name) &&
        !shared_->claims.holds(order.name_space, order.name) &&
        !shared_->grants.holds(order.name_space, order.name)) {
      bound.push_back(std::move(order));
    }
  }
  shared_->book.withdraw(name);
  shared_->claims.withdraw(name);
  shared_->grants.withdraw(now_ms, name);
  for (PodWrite& order : bound) shared_->book.order(now_ms, std::move(order));
}

// Hands on the binds of gangs whose volumes are all bound, as the cluster shows it.
void KubeSink::await_claims(const Cluster& cluster, int64_t now_ms) {
  shared_->claims.look([&](const PodWrite& bind) { return claims_of(cluster, bind); });
  std::map<std::string, std::vector<PodWrite>> ready;
  for (PodWrite& bind : shared_->claims.take_ready()) ready[bind.gang].push_back(std::move(bind));
  for (auto& [gang, pods] : ready) shared_->order_binds(now_ms, std::move(pods));
}

// The binds of a gang wait for the claims of all its pods.
void KubeSink::order(const CycleRecord& record, const Cluster& cluster,
                     std::vector<PodWrite> orders, int64_t now_ms) {
  struct Awaited {
    bool volumes = false;
    std::vector<PodWrite> binds;
  };
  std::map<std::string, Awaited> gangs;
  for (const PodWrite& order : orders) {
    if (order.kind != PodWrite::Kind::Bind) continue;
    bool volumes = bool(pod_of(cluster, order).waiting_claims);
    if (volumes || !order.grants.empty()) gangs[order.gang].volumes |= volumes;
  }
  for (PodWrite& order : orders) {
    auto gang = gangs.find(order.gang);
    if (order.kind == PodWrite::Kind::Bind && gang != gangs.end()) {
      gang->second.binds.push_back(std::move(order));
    } else {
      shared_->book.order(now_ms, std::move(order));
    }
  }
  for (auto& [name, awaited] : gangs) {
    if (!awaited.volumes) {
      shared_->order_binds(now_ms, std::move(awaited.binds));
      continue;
    }
    std::vector<ClaimBook::GangPod> pods;
    for (PodWrite& bind : awaited.binds) pods.push_back(gang_pod(record, cluster, std::move(bind)));
    shared_->claims.order(now_ms, std::move(pods));
  }
}

void KubeSink::take(const CycleRecord& record, const Cluster& cluster) {
  std::vector<PodWrite> orders = orders_of(record, cluster);
  {
    std::lock_guard lock(shared_->mutex);
    int64_t now_ms = steady_ms();
    std::vector<GangId> broken = broken_gangs(cluster);
    await_claims(cluster, now_ms);
    order(record, cluster, std::move(orders), now_ms);
    for (GangId gang : broken) repair(record, cluster, gang, now_ms);
    shared_->pass_on(now_ms);
  }
  shared_->wake();
}

void KubeSink::seen(const ObjectChanges& changes, const StringTable& strings) {
  {
    std::lock_guard lock(shared_->mutex);
    for (const PodObject& object : changes.upserts.pods) {
      const Pod& pod = object.pod;
      std::optional<PodWrite> eviction = unfinished_eviction(*options_.objects, pod, strings);
      bool leaving = (pod.status == PodStatus::Releasing && !eviction) || has_finished(pod.status);
      shared_->book.seen({strings.view(pod.name_space), pod.name, pod.uid, pod.node, leaving});
      if (eviction) shared_->book.order(steady_ms(), *std::move(eviction));
    }
    for (const RemovedObjects::Named& pod : changes.removed.pods) {
      shared_->book.gone(pod.name_space, pod.name);
    }
  }
  shared_->wake();
}

Forgotten KubeSink::failed() {
  std::lock_guard lock(shared_->mutex);
  Forgotten failed = shared_->book.take_forgotten();
  Forgotten of_claims = shared_->claims.take_forgotten();
  std::ranges::move(of_claims.pods, std::back_inserter(failed.pods));
  Forgotten of_grants = shared_->grants.take_forgotten();
  std::ranges::move(of_grants.pods, std::back_inserter(failed.pods));
  std::ranges::move(of_grants.claims, std::back_inserter(failed.claims));
  return failed;
}

BindFigures KubeSink::take_figures() {
  std::lock_guard lock(shared_->mutex);
  return shared_->book.take_figures();
}

void KubeSink::send_all() {
  struct Sending {
    Urgency urgency = Urgency::Bind;
    ApiRequest request;
    // Takes the answer, while the mutex is held.
    std::function<void(Shared& shared, const WritePool::Outcome& outcome)> answered;
  };
  std::vector<Sending> sends;
  auto add = [&](auto& book, auto member, Urgency urgency) {
    while (auto send = book.next(steady_ms())) {
      sends.push_back(
          {urgency, std::move(send->request),
           [member, ticket = send->ticket](Shared& shared, const auto& outcome) {
             (shared.*member).answered(steady_ms(), ticket, outcome.sent, outcome.answer);
           }});
      if constexpr (requires { send->urgency; }) sends.back().urgency = send->urgency;
    }
  };
  {
    std::lock_guard lock(shared_->mutex);
    add(shared_->claims, &Shared::claims, Urgency::Bind);
    add(shared_->grants, &Shared::grants, Urgency::Bind);
    shared_->pass_on(steady_ms());
    add(shared_->book, &Shared::book, Urgency::Bind);
  }
  for (Sending& send : sends) {
    options_.pool->submit(
        send.urgency, std::move(send.request),
        [shared = shared_, answered = std::move(send.answered)](const WritePool::Outcome& outcome) {
          {
            std::lock_guard lock(shared->mutex);
            answered(*shared, outcome);
            shared->pass_on(steady_ms());
          }
          shared->wake();
        });
  }
}

void KubeSink::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    send_all();
    std::unique_lock lock(shared_->mutex);
    int64_t next_ms =
        std::min({shared_->book.next_ms(), shared_->claims.next_ms(), shared_->grants.next_ms()});
    int64_t wait_ms = std::clamp<int64_t>(next_ms - steady_ms(), 0, kLongMs);
    shared_->woken.wait_for(lock, stop, std::chrono::milliseconds(wait_ms),
                            [this] { return shared_->changed; });
    shared_->changed = false;
  }
}

}  // namespace trellis
