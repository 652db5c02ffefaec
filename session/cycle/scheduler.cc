#include "session/cycle/scheduler.h"

#include <utility>

#include "session/cluster/pod_hold.h"

namespace trellis {
namespace {

void report_move(PlacementListener& listener, const Snapshot::Moved& moved) {
  bool slot = !moved.pod.valid();
  if (moved.from.valid() && listener.tracks(moved.from_class)) {
    if (slot) {
      listener.removed(moved.from_class, moved.from, presence_for(listener, moved.from_presence));
    } else {
      listener.pod_removed(moved.pod, moved.from_class, moved.from, moved.from_presence);
    }
  }
  if (moved.to.valid() && listener.tracks(moved.to_class)) {
    if (slot) {
      listener.placed(moved.to_class, moved.to, presence_for(listener, moved.to_presence));
    } else {
      listener.pod_placed(moved.pod, moved.to_class, moved.to, moved.to_presence);
    }
  }
}

}  // namespace

Scheduler::Scheduler(Cluster& cluster, Config config, std::vector<std::unique_ptr<Plugin>> plugins,
                     std::vector<Action> actions)
    : cluster_(cluster),
      config_(std::move(config)),
      plugins_(std::move(plugins)),
      actions_(std::move(actions)),
      snapshot_(config_.queues.full_hierarchy ? QueueTree::Shape::Full : QueueTree::Shape::Flat),
      node_values_(cluster.nodes()),
      fits_(cluster, snapshot_, hooks_, node_values_, config_.placement_strategy.domain) {
  view_.config = &config_;
  view_.vocabulary = &cluster_.vocabulary();
  view_.nodes = &cluster_.nodes();
  view_.pods = &cluster_.pods();
  view_.gangs = &cluster_.gangs();
  view_.pods_of_gang = &cluster_.pods_of_gang();
  view_.pod_classes = &cluster_.pod_classes();
  view_.topologies = &cluster_.topologies();
  view_.node_classes = &snapshot_.node_classes().classes();
  view_.class_of_node = &snapshot_.node_classes().of_node();
  view_.state = &snapshot_.state();
  view_.gang_counts = &snapshot_.gang_counts();
  view_.subgroup_counts = &snapshot_.subgroup_counts();
  view_.queues = &cluster_.queues();
  view_.queue_tree = &snapshot_.queues().tree();
  view_.queue_use = &snapshot_.queues().use();
  view_.gang_use = &snapshot_.queues().gang_use();
  view_.queue_capacity = &snapshot_.queues().capacity();
  view_.queue_of_gang = &snapshot_.queues().queue_of_gang();
  view_.trees = &snapshot_.trees();
  view_.counts = &fits_;
  view_.node_values = &node_values_;
  const WorkloadRecords& workloads = cluster_.workloads();
  view_.flavors = &workloads.flavors().all();
  view_.cluster_queues = &workloads.cluster_queues().all();
  view_.workloads = &workloads.workloads().all();
  view_.quota_tree = &snapshot_.workloads().tree();
  view_.quota_usage = &snapshot_.workloads().usage();
  view_.quota_holdings = &snapshot_.workloads().holdings();
  view_.all_nodes = &snapshot_.all_nodes();
  view_.changes = &snapshot_.changes();
  view_.failed_pods = &cluster_.failed_pods();
  view_.storage = &cluster_.storage();
  view_.devices = &cluster_.devices();
}

Scheduler::~Scheduler() = default;

void Scheduler::recall(std::shared_ptr<const LearnedMix> learned) {
  recalled_ = std::move(learned);
  all_counted_ = false;
  learned_ = nullptr;
}

void Scheduler::learn(std::span<const PodClassId> arrived) {
  std::shared_ptr<const LearnedMix> recalled = std::exchange(recalled_, nullptr);
  bool counted = std::exchange(all_counted_, false);
  if (hooks_.arrival_listener == nullptr) return;
  ArrivalListener& listener = *hooks_.arrival_listener;
  if (recalled) listener.recall(*recalled);
  if (counted) {
    learned_ = std::move(recalled);
    return;
  }
  listener.arrived(arrived);
  if (!learned_ || !arrived.empty()) {
    learned_ = std::make_shared<LearnedMix>(listener.learned({}));
  }
}

std::shared_ptr<const LearnedMix> Scheduler::learned() const {
  if (hooks_.arrival_listener == nullptr) return nullptr;
  std::vector<PodClassId> present;
  for (PodId pod(0U); pod.value < cluster_.pods().size(); ++pod.value) {
    bool arrived = cluster_.alive(pod) && has_arrived(cluster_.pods()[pod].pod);
    if (arrived) present.push_back(cluster_.pods()[pod].pod_class);
  }
  return std::make_shared<LearnedMix>(hooks_.arrival_listener->learned(present));
}

void Scheduler::open_plugins() {
  hooks_ = Hooks();
  for (const auto& plugin : plugins_) plugin->open(view_, hooks_);
}

Session& Scheduler::open(TimeUs now) {
  session_.reset();
  opened_generation_ = cluster_.generation();
  partial_ = false;
  Snapshot::Refreshed refreshed =
      snapshot_.refresh(cluster_, {now, config_.limits.leaving_grace_period_us});
  recorder_.refreshed(refreshed);
  if (refreshed.nodes_renumbered) node_values_.restart();
  open_plugins();
  for (const auto& listener : hooks_.listeners) {
    for (const Snapshot::Moved& moved : refreshed.moved) report_move(*listener.point, moved);
    listener.point->settled();
  }
  learn(refreshed.arrived);
  if (refreshed.nodes_renumbered) fits_.restart();
  failed_.forget(refreshed.gangs);
  session_ =
      std::make_unique<Session>(config_, cluster_, snapshot_, hooks_, fits_, failed_, now, probe_);
  if (config_.queues.run_time_quantile > 0) runs_.note(refreshed.gangs);
  session_->begin_with(appointments_, runs_.history());
  return *session_;
}

Session& Scheduler::session() {
  bool current = session_ && !partial_ && opened_generation_ == cluster_.generation();
  return current ? *session_ : reopen_without(GangId());
}

Session& Scheduler::reopen_without(GangId gang) { return reopen_without(gang, WorkloadId()); }

Session& Scheduler::reopen_without(WorkloadId workload) {
  return reopen_without(GangId(), workload);
}

Session& Scheduler::reopen_without(GangId gang, WorkloadId workload) {
  const CycleRecord* record = recorder_.last().get();
  TimeUs at = record != nullptr ? record->now : 0;
  Session& session = open(session_ ? session_->now() : at);
  partial_ = gang.valid() || workload.valid();
  // Once the cluster has changed, the record's decisions were carried out or were not.
  if (decided_generation_ != cluster_.generation()) return session;
  if (record == nullptr) return session;
  for (const WorkloadDecision& decision : record->workload_decisions) {
    if (decision.workload == workload) continue;
    session.replay(decision);
    session.commit("admit");
  }
  for (const Decision& decision : record->decisions) {
    const PodSlot& slot = cluster_.pods()[decision.pod];
    bool evicts = decision.kind == Decision::Kind::Evict;
    // What a moved pod leaves is promised to others: only its new place is in question.
    bool moves = evicts && record->pods[decision.pod].evicted;
    if (!moves && gang.valid() && slot.gang == gang) continue;
    if (!moves && workload.valid() && slot.workload == workload) continue;
    if (evicts) {
      session.statement().evict(decision.pod, decision.by, decision.by_workload);
    } else {
      bool now = decision.kind == Decision::Kind::Bind;
      if (decision.slot_class.valid()) {
        session.statement().enter_slot(decision.slot_class, decision.node);
      }
      session.statement().place_on(decision.pod, decision.node,
                                   now ? FitMode::Now : FitMode::Future,
                                   record->pods[decision.pod].gpus);
    }
    session.commit(decision.action);
  }
  session.spares().keep_all();
  return session;
}

void Scheduler::adopt(std::shared_ptr<const CycleRecord> record) {
  session_.reset();
  recalled_ = record->learned;
  appointments_ = record->found;
  runs_.continue_with(record->past_runs);
  all_counted_ = recalled_ != nullptr;
  recorder_.adopt(std::move(record));
  decided_generation_ = cluster_.generation();
}

bool Scheduler::is_idle(TimeUs now) const {
  const CycleRecord* record = recorder_.last().get();
  if (record == nullptr || decided_generation_ != cluster_.generation()) return false;
  bool due = record->next_change != kNoTime && now >= record->next_change;
  return record->decisions.empty() && record->workload_decisions.empty() && !due;
}

std::shared_ptr<const CycleRecord> Scheduler::run_cycle(TimeUs now) {
  if (is_idle(now)) return recorder_.last();
  Session& session = open(now);
  runs_.observe(cluster_, now);
  session.begin_with(appointments_, runs_.history());
  for (const Action& action : actions_) {
    if (probe_ != nullptr) probe_->action_begins(action.name);
    action.run(session);
    if (probe_ != nullptr) probe_->action_ends(action.name);
  }
  decided_generation_ = cluster_.generation();
  appointments_ = session.appointments();
  return recorder_.record(session, learned_);
}

}  // namespace trellis
