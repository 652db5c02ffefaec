#include "server/simulate/simulation.h"

#include <algorithm>
#include <utility>

#include "framework/moved_gpus.h"
#include "session/cluster/gang_life.h"
#include "session/explain/gpu_report.h"
#include "session/record/touched.h"

namespace trellis {
namespace {

constexpr int64_t kMostIdleCycles = 1000;
constexpr size_t kMostSamples = 400;  // each second one is dropped where there are more

double gpu_seconds(int64_t gpu_milli, TimeUs time) {
  return static_cast<double>(gpu_milli) / static_cast<double>(kMilli) *
         (static_cast<double>(time) / static_cast<double>(kSecondUs));
}

int64_t sum_of_gpus(const Cluster& cluster) {
  int64_t sum = 0;
  for (NodeId id : cluster.nodes_by_name()) {
    const ResourceList& allocatable = cluster.nodes()[id].allocatable;
    sum += allocatable.get(kGpu) + allocatable.get(kAmdGpu);
  }
  return sum;
}

bool loses_pods(const Node& node) {
  return !node.ready || std::ranges::any_of(node.taints, [](const Taint& taint) {
    return taint.effect == TaintEffect::NoExecute;
  });
}

}  // namespace

Simulation::Simulation(Engine& engine, const GangSource& source, TimeUs start,
                       SimulationOptions options)
    : engine_(engine),
      cluster_(engine.cluster()),
      source_(source),
      start_(start),
      options_(std::move(options)),
      places_(cluster_),
      now_(start),
      next_cycle_(start),
      next_sample_(start) {}

void Simulation::begin() {
  states_.resize(source_.size());
  result_.gangs.resize(source_.size());
  for (size_t i = 0; i < source_.size(); ++i) {
    GangPlan plan = source_.plan(i);
    GangResult& gang = result_.gangs[i];
    gang.name = plan.shown;
    gang.queue = plan.queue;
    gang.arrival = plan.arrival - start_;
    gang.duration = plan.duration;
    gang.gpu_milli = plan.gpu_milli;
    if (!plan.queue.empty()) result_.queues.push_back(plan.queue);
  }
  std::vector<std::string>& queues = result_.queues;
  std::ranges::sort(queues);
  queues.erase(std::unique(queues.begin(), queues.end()), queues.end());
  queue_used_.resize(queues.size());
  for (size_t i = 0; i < states_.size(); ++i) {
    if (result_.gangs[i].queue.empty()) continue;
    auto found = std::ranges::lower_bound(queues, result_.gangs[i].queue);
    states_[i].queue = static_cast<uint32_t>(found - queues.begin());
  }
  TimeUs last = result_.gangs.empty() ? 0 : result_.gangs.back().arrival;
  sample_interval_ = std::max<TimeUs>(last / static_cast<TimeUs>(kMostSamples / 2), 1);
  measure_cluster();
  fingerprint_ = fingerprint();
}

void Simulation::measure_cluster() {
  all_gpu_milli_ = sum_of_gpus(cluster_);
  places_.forget();
}

SimulationResult Simulation::run() {
  if (fingerprint_.empty()) begin();
  for (TimeUs now = next_moment(); now != kNoTime; now = next_moment()) {
    take_samples(now);
    advance(now);
    take_ends(now);
    take_changes(now);
    take_arrivals(now);
    run_cycle(now);
    if (options_.progress) options_.progress(*this, done_);
  }
  take_samples(now_ + 1);
  if (result_.all_gpu_seconds == 0) keep_use();
  return std::move(result_);
}

// kNoTime: nothing more will happen.
TimeUs Simulation::next_moment() const {
  TimeUs next = kNoTime;
  auto consider = [&next](TimeUs at) {
    if (next == kNoTime || at < next) next = at;
  };
  if (next_arrival_ < source_.size()) consider(start_ + result_.gangs[next_arrival_].arrival);
  if (next_change_ < options_.changes.size()) consider(options_.changes[next_change_].at);
  if (!ends_.empty()) consider(ends_.top().at);
  bool waits = idle_cycles_ < kMostIdleCycles || next != kNoTime;
  if (next_cycle_ != kNoTime && waits) consider(next_cycle_);
  return next;
}

void Simulation::advance(TimeUs now) {
  used_gpu_seconds_ += gpu_seconds(used_gpu_milli_, now - now_);
  all_gpu_seconds_ += gpu_seconds(all_gpu_milli_, now - now_);
  now_ = now;
}

void Simulation::keep_use() {
  result_.used_gpu_seconds = used_gpu_seconds_;
  result_.all_gpu_seconds = all_gpu_seconds_;
}

void Simulation::take_ends(TimeUs now) {
  while (!ends_.empty() && ends_.top().at <= now) {
    End end = ends_.top();
    ends_.pop();
    State& state = states_[end.number];
    if (!state.runs || state.run != end.run) continue;  // that run was lost
    idle_cycles_ = 0;
    state.runs = false;
    result_.gangs[end.number].end = now - start_;
    keep_use();
    remove(end.number);
  }
}

void Simulation::take_changes(TimeUs now) {
  for (; next_change_ < options_.changes.size(); ++next_change_) {
    const TimedChange& change = options_.changes[next_change_];
    if (change.at > now) break;
    idle_cycles_ = 0;
    for (const std::string& node : change.changes.removed.nodes) {
      empty_node(cluster_.find_node(node), now);
    }
    cluster_.apply(change.changes);
    for (const Node& node : change.changes.upserts.nodes) {
      if (loses_pods(node)) empty_node(cluster_.find_node(node.name), now);
    }
    measure_cluster();
  }
}

// A gang that lacks its minimum without the pods of the node waits as a whole.
void Simulation::empty_node(NodeId node, TimeUs now) {
  if (!node.valid()) return;
  std::vector<PodId> pods = cluster_.pods_of(node);
  for (PodId pod : pods) {
    GangId gang = cluster_.pods()[pod].gang;
    make_wait(pod);
    std::vector<PodId> others = cluster_.pods_of(gang);
    bool active = std::ranges::any_of(
        others, [&](PodId other) { return is_active(cluster_.pods()[other].pod.status); });
    if (active && !runs_below_minimum(cluster_, gang)) continue;
    for (PodId other : others) {
      if (occupies_node(cluster_.pods()[other].pod.status)) make_wait(other);
    }
    uint32_t number = present(gang).number;
    if (number != kBackground) look_at_run(number, false, {.now = now, .since = now});
  }
}

void Simulation::make_wait(PodId id) {
  const PodSlot& slot = cluster_.pods()[id];
  if (slot.pod.gpu_groups.empty()) {
    cluster_.set_pod(id, PodStatus::Pending, NodeId(), kNoTime);
    return;
  }
  trellis::Pod pod = slot.pod;
  pod.status = PodStatus::Pending;
  pod.node = SharedText();
  pod.started = kNoTime;
  pod.leaving_since = kNoTime;
  pod.gpu_groups.clear();
  PodSpec spec = cluster_.pod_classes()[slot.pod_class];
  cluster_.upsert(std::move(pod), std::move(spec));
}

void Simulation::remove(uint32_t number) {
  State& state = states_[number];
  GangId id = std::exchange(state.gang, GangId());
  count(number, -std::exchange(present(id).held_gpu_milli, 0));
  present(id).number = kBackground;
  ++done_;
  const Gang& gang = cluster_.gangs()[id];
  std::string name_space(cluster_.vocabulary().strings.view(gang.name_space));
  std::string name = gang.name;
  std::vector<PodId> pods = cluster_.pods_of(id);
  for (PodId pod : pods) {
    std::string pod_name = cluster_.pods()[pod].pod.name;
    cluster_.remove_pod(cluster_.pods()[pod].pod.name_space, pod_name);
  }
  cluster_.remove_gang(name_space, name);
}

void Simulation::take_arrivals(TimeUs now) {
  arrived_now_.clear();
  for (; next_arrival_ < source_.size(); ++next_arrival_) {
    auto number = static_cast<uint32_t>(next_arrival_);
    const GangResult& gang = result_.gangs[number];
    if (start_ + gang.arrival > now) break;
    idle_cycles_ = 0;
    GangPlan plan = source_.plan(number);
    cluster_.add(source_.objects(number, cluster_.vocabulary()));
    GangId id = cluster_.find_gang(plan.name_space, plan.name);
    states_[number].gang = id;
    present(id) = {number, 0};
    arrived_now_.push_back(number);
    arrived_gpu_milli_ += gang.gpu_milli;
    ++waiting_;
  }
}

Simulation::Present& Simulation::present(GangId id) {
  if (!present_.contains(id)) present_.resize(cluster_.gangs().size());
  return present_[id];
}

void Simulation::run_cycle(TimeUs now) {
  std::shared_ptr<const CycleRecord> record = engine_.run(now, 1);
  ++result_.cycles;
  engine_.pass_time();
  for (GangId id : touched_gangs(*record)) {
    if (cluster_.alive(id)) look(id, now);
  }
  if (options_.waiting == Waiting::Leaves) turn_away();
  bool decided = !record->decisions.empty() || !record->workload_decisions.empty();
  idle_cycles_ = decided ? 0 : idle_cycles_ + 1;
  next_cycle_ = decided ? now + engine_.config().period_us : record->next_change;
  if (next_cycle_ != kNoTime) next_cycle_ = std::max(next_cycle_, now + 1);
}

void Simulation::count_held(GangId id) {
  int64_t held = 0;
  for (PodId pod : cluster_.pods_of(id)) {
    const PodSlot& slot = cluster_.pods()[pod];
    if (!occupies_node(slot.pod.status)) continue;
    held += held_gpu_milli(cluster_.pod_classes()[slot.pod_class]);
  }
  Present& gang = present(id);
  count(gang.number, held - std::exchange(gang.held_gpu_milli, held));
}

void Simulation::look(GangId id, TimeUs now) {
  count_held(id);
  uint32_t number = present(id).number;
  if (number == kBackground) return;
  bool active = false;
  TimeUs since = kNoTime;  // the last pod started
  for (PodId pod : cluster_.pods_of(id)) {
    const PodSlot& slot = cluster_.pods()[pod];
    active = active || is_active(slot.pod.status);
    since = std::max(since, slot.pod.started);
  }
  if (since == kNoTime || since > now) since = now;
  bool runs = active && !runs_below_minimum(cluster_, id);
  look_at_run(number, runs, {.now = now, .since = since});
}

void Simulation::count(uint32_t number, int64_t more_gpu_milli) {
  used_gpu_milli_ += more_gpu_milli;
  if (number == kBackground) return;
  uint32_t queue = states_[number].queue;
  if (queue != kNoQueue) queue_used_[queue] += more_gpu_milli;
}

void Simulation::look_at_run(uint32_t number, bool runs, const Look& look) {
  if (runs == states_[number].runs) return;
  runs ? begin_run(number, look) : lose_run(number, look.now);
}

void Simulation::begin_run(uint32_t number, const Look& look) {
  State& state = states_[number];
  GangResult& gang = result_.gangs[number];
  state.runs = true;
  state.started = look.since;
  ++state.run;
  --waiting_;
  if (gang.first_start == kNoTime) gang.first_start = std::max(look.since - start_, gang.arrival);
  GangPlaces places = places_.places_of(state.gang);
  gang.domains.clear();
  for (uint32_t domain : places.domains) gang.domains.push_back(places_.names()[domain]);
  gang.fewest_domains = places.fewest;
  if (gang.duration < 0) return;
  state.ends = std::max(look.since + gang.duration, look.now);
  ends_.push({state.ends, number, state.run});
}

void Simulation::lose_run(uint32_t number, TimeUs now) {
  State& state = states_[number];
  GangResult& gang = result_.gangs[number];
  state.runs = false;
  ++waiting_;
  ++gang.evictions;
  gang.lost_gpu_seconds += gpu_seconds(gang.gpu_milli, now - state.started);
}

void Simulation::turn_away() {
  for (uint32_t number : arrived_now_) {
    if (states_[number].runs) continue;
    result_.gangs[number].turned_away = true;
    --waiting_;
    remove(number);
  }
  arrived_now_.clear();
}

// What holds until `until` is the same since the last cycle.
void Simulation::take_samples(TimeUs until) {
  if (next_sample_ >= until) return;
  int64_t stranded = report_gpus(engine_.scheduler().session()).all_stranded();
  for (; next_sample_ < until; next_sample_ += sample_interval_) {
    result_.samples.push_back({.at = next_sample_ - start_,
                               .arrived_gpu_milli = arrived_gpu_milli_,
                               .used_gpu_milli = used_gpu_milli_,
                               .stranded_gpu_milli = stranded,
                               .all_gpu_milli = all_gpu_milli_,
                               .waiting = waiting_,
                               .queue_used_gpu_milli = queue_used_});
    if (result_.samples.size() >= kMostSamples) thin_samples();
  }
}

void Simulation::thin_samples() {
  std::vector<Sample> kept;
  for (size_t i = 0; i < result_.samples.size(); i += 2) {
    kept.push_back(std::move(result_.samples[i]));
  }
  result_.samples = std::move(kept);
  next_sample_ = start_ + result_.samples.back().at;
  sample_interval_ *= 2;
}

}  // namespace trellis
