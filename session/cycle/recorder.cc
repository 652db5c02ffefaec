#include "session/cycle/recorder.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>

#include "framework/gang_minimum.h"
#include "framework/sort_unique.h"
#include "session/cycle/session.h"
#include "session/record/outcomes.h"
#include "session/record/touched.h"

namespace trellis {
namespace {

// Annotations of a pod that is placed in the room of a ProvisioningRequest.
constexpr std::string_view kConsumedRequestKey =
    "autoscaling.x-k8s.io/consume-provisioning-request";
constexpr std::string_view kRequestClassKey = "autoscaling.x-k8s.io/provisioning-class-name";

struct StatusCounts {
  int64_t pods = 0, bound = 0, pipelined = 0, evicted = 0, releasing = 0, finished = 0;

  void add(PodStatus status) {
    ++pods;
    bound += status == PodStatus::Bound ? 1 : 0;
    pipelined += status == PodStatus::Pipelined ? 1 : 0;
    evicted += status == PodStatus::Evicted ? 1 : 0;
    releasing += status == PodStatus::Releasing ? 1 : 0;
    finished += has_finished(status) ? 1 : 0;
  }
  void add(const StatusCounts& more) {
    pods += more.pods;
    bound += more.bound;
    pipelined += more.pipelined;
    evicted += more.evicted;
    releasing += more.releasing;
    finished += more.finished;
  }
};

// The status of a gang or subgroup; `met`: it has its minimum.
GangStatus status_of(const StatusCounts& counts, bool met) {
  if (counts.finished > 0 && counts.finished == counts.pods) return GangStatus::Finished;
  if (met) {
    if (counts.pipelined > 0) return GangStatus::Pipelined;
    return counts.bound > 0 ? GangStatus::Scheduled : GangStatus::Running;
  }
  if (counts.evicted > 0) return GangStatus::Evicted;
  bool all_leave = counts.releasing > 0 && counts.releasing == counts.pods;
  return all_leave ? GangStatus::Releasing : GangStatus::Pending;
}

template <class Id>
void append(std::vector<Id>& to, std::span<const Id> from) {
  to.insert(to.end(), from.begin(), from.end());
}

// Writes the outcomes of the ids it is given into a record that holds the outcomes of all others.
// An outcome that is as before is not written: its page stays shared.
class OutcomeWriter {
 public:
  OutcomeWriter(const Session& session, CycleRecord& record)
      : session_(session),
        cluster_(session.cluster()),
        snapshot_(session.snapshot()),
        record_(record) {
    record_.now = session.now();
    record_.pods.grow(cluster_.pods().size());
    record_.gangs.grow(cluster_.gangs().size());
    record_.nodes.grow(cluster_.nodes().size());
  }

  // REQUIRES: `pods` has all pods of each of `gangs`.
  void write(std::span<const PodId> pods, std::span<const GangId> gangs,
             std::span<const NodeId> nodes) {
    for (PodId pod : pods) write_pod(pod);
    record_.decisions = session_.decisions();
    for (const Decision& decision : record_.decisions) write_decision(decision);
    for (GangId gang : gangs) write_gang(gang);
    note_binds();
    write_nodes(nodes);
    record_.workload_decisions = session_.workload_decisions();
    record_.workloads = session_.workload_outcomes();
  }

  void write_reasons(GangId gang) {
    std::span<const Reason> reasons = session_.reasons(gang);
    const std::vector<Reason>& before = record_.gangs[gang].reasons;
    if (std::equal(before.begin(), before.end(), reasons.begin(), reasons.end())) return;
    record_.gangs.own(gang).reasons.assign(reasons.begin(), reasons.end());
  }

 private:
  void write_pod(PodId pod) {
    PodOutcome outcome = undecided(pod);
    if (outcome != record_.pods[pod]) record_.pods.own(pod) = std::move(outcome);
  }

  // Without what this cycle's decisions add.
  PodOutcome undecided(PodId pod) const {
    PodOutcome outcome;
    if (!cluster_.alive(pod)) return outcome;
    PodState state = snapshot_.pod(pod);
    outcome.status = state.status;
    outcome.node = state.node;
    if (!state.node.valid()) return outcome;
    outcome.gpus = snapshot_.grant(pod);
    if (!will_remain(state.status)) return outcome;
    // That of the last record, until its gang is written.
    if (cluster_.pods()[pod].gang.valid()) outcome.rank = record_.pods[pod].rank;
    describe(pod, outcome);
    return outcome;
  }

  void write_decision(const Decision& decision) {
    PodOutcome& outcome = record_.pods.own(decision.pod);
    outcome.action = decision.action;
    bool leaves = decision.kind == Decision::Kind::Evict;
    if (leaves) outcome.evicted = outcome.status == PodStatus::Pipelined;
  }

  void write_gang(GangId id) {
    GangOutcome outcome;
    if (cluster_.alive(id)) {
      outcome = outcome_of(id);
      write_ranks(id);
    }
    if (outcome != record_.gangs[id]) record_.gangs.own(id) = std::move(outcome);
  }

  GangOutcome outcome_of(GangId id) const {
    GangOutcome outcome;
    const Gang& gang = cluster_.gangs()[id];
    std::vector<StatusCounts> parts(gang.subgroups.size());
    StatusCounts whole;
    for (PodId pod : cluster_.pods_of(id)) {
      PodStatus status = record_.pods[pod].status;
      whole.add(status);
      int32_t subgroup = snapshot_.key(pod).subgroup;
      if (subgroup >= 0) parts[static_cast<size_t>(subgroup)].add(status);
    }
    outcome.status = status_of(whole, session_.has_minimum(id));
    outcome.placement = gang_placement(cluster_, snapshot_, id);
    std::span<const Reason> reasons = session_.reasons(id);
    outcome.reasons.assign(reasons.begin(), reasons.end());
    if (!gang.subgroups.empty()) add_subgroups(id, std::move(parts), outcome);
    return outcome;
  }

  void write_ranks(GangId gang) {
    int32_t rank = 0;
    for (PodId pod : session_.ranked_pods(gang)) {
      const PodOutcome& outcome = record_.pods[pod];
      if (will_remain(outcome.status) && outcome.rank != rank) record_.pods.own(pod).rank = rank;
      ++rank;
    }
  }

  void add_subgroups(GangId id, std::vector<StatusCounts> parts, GangOutcome& outcome) const {
    const Gang& gang = cluster_.gangs()[id];
    std::vector<bool> met = subgroups_with_minimum(gang, snapshot_.subgroup_counts()[id]);
    outcome.subgroups.resize(gang.subgroups.size());
    for (size_t i = gang.subgroups.size(); i-- > 0;) {
      outcome.subgroups[i].status = status_of(parts[i], met[i]);
      outcome.subgroups[i].placement =
          subgroup_placement(cluster_, snapshot_, id, static_cast<int32_t>(i));
      int32_t parent = gang.subgroups[i].parent;
      if (parent >= 0) parts[static_cast<size_t>(parent)].add(parts[i]);
    }
  }

  void note_binds() {
    for (const Decision& decision : record_.decisions) {
      if (decision.kind != Decision::Kind::Bind) continue;
      PodOutcome& outcome = record_.pods.own(decision.pod);
      PodDetails details = outcome.details();
      for (const auto& hook : session_.hooks().before_binds) {
        hook.point->before_bind(decision.pod, outcome.node, outcome.rank, details.notes);
      }
      note_request(decision.pod, details.notes);
      if (session_.hooks().claim_chooser != nullptr) {
        session_.hooks().claim_chooser->choose(decision.pod, outcome.node, details.claims);
      }
      if (session_.hooks().device_allocator != nullptr) {
        session_.hooks().device_allocator->allocate(decision.pod, outcome.node, details.devices);
      }
      outcome.set_details(std::move(details));
    }
  }

  // The autoscaler keeps the room for the pods that name the request.
  void note_request(PodId pod, std::vector<BindNote>& notes) const {
    const NodeRequest* request = cluster_.node_request_of(cluster_.pods()[pod].gang);
    if (request == nullptr || request->state != NodeRequestState::Provisioned) return;
    notes.push_back({BindNote::Kind::Annotation, kConsumedRequestKey, request->name});
    notes.push_back({BindNote::Kind::Annotation, kRequestClassKey, request->class_name});
  }

  void describe(PodId pod, PodOutcome& outcome) const {
    if (session_.hooks().describers.empty()) return;
    PodDetails details;
    for (const auto& describer : session_.hooks().describers) {
      describer.point->describe(pod, outcome.node, details.description);
    }
    outcome.set_details(std::move(details));
  }

  bool bears_slots(NodeId node) const {
    const WorkloadLedger& workloads = snapshot_.workloads();
    return !workloads.empty() && !workloads.slots().of(node).empty();
  }

  // Nodes with slots that were taken in this cycle.
  std::vector<NodeId> newly_assigned_nodes() const {
    std::vector<NodeId> nodes;
    for (const WorkloadDecision& decision : session_.workload_decisions()) {
      for (const SlotFill& fill : decision.slots) nodes.push_back(fill.node);
    }
    sort_unique(nodes);
    return nodes;
  }

  void write_nodes(std::span<const NodeId> nodes) {
    std::vector<std::pair<NodeId, PodId>> newcomers;
    for (const Decision& decision : record_.decisions) {
      PodId pod = decision.pod;
      NodeId node = record_.pods[pod].node;
      if (node != cluster_.pods()[pod].node) newcomers.emplace_back(node, pod);
    }
    std::sort(newcomers.begin(), newcomers.end());
    newcomers.erase(std::unique(newcomers.begin(), newcomers.end()), newcomers.end());
    std::vector<NodeId> assigned = newly_assigned_nodes();
    std::vector<PodId> pods;
    for (NodeId node : nodes) {
      pods = cluster_.pods_of(node);
      auto newcomer =
          std::lower_bound(newcomers.begin(), newcomers.end(), std::pair(node, PodId(0)));
      for (; newcomer != newcomers.end() && newcomer->first == node; ++newcomer) {
        pods.push_back(newcomer->second);
      }
      NodeGpus gpus = count_node_gpus(cluster_, snapshot_, node, pods);
      bool assigned_now = std::binary_search(assigned.begin(), assigned.end(), node);
      if (assigned_now || bears_slots(node))
        gpus.idle = std::min(gpus.idle, count_free_gpus(snapshot_, node));
      if (gpus != record_.nodes[node]) record_.nodes.own(node) = gpus;
    }
  }

  const Session& session_;
  const Cluster& cluster_;
  const Snapshot& snapshot_;
  CycleRecord& record_;
};

}  // namespace

CycleRecord make_record(const Session& session) {
  const Cluster& cluster = session.cluster();
  CycleRecord record;
  OutcomeWriter(session, record)
      .write(all_ids<PodId>(cluster.pods().size()), all_ids<GangId>(cluster.gangs().size()),
             all_ids<NodeId>(cluster.nodes().size()));
  record.next_change = next_change(session);
  return record;
}

void Recorder::adopt(std::shared_ptr<const CycleRecord> record) {
  last_ = std::move(record);
  // What its decisions touched may be decided otherwise in the next cycle.
  touched_ = {.everything = false};
  for (const Decision& decision : last_->decisions) {
    touched_.pods.push_back(decision.pod);
    touched_.nodes.push_back(decision.node);
    touched_.nodes.push_back(last_->pods[decision.pod].node);
  }
  for (const WorkloadDecision& decision : last_->workload_decisions) {
    for (const SlotFill& fill : decision.slots) touched_.nodes.push_back(fill.node);
  }
  std::erase_if(touched_.nodes, [](NodeId node) { return !node.valid(); });
  with_reasons_.clear();
  for (GangId gang : all_ids<GangId>(last_->gangs.size())) {
    if (!last_->gangs[gang].reasons.empty()) with_reasons_.push_back(gang);
  }
}

void Recorder::refreshed(const Snapshot::Refreshed& changes) {
  if (changes.nodes_renumbered) touched_ = Touched();
  if (touched_.everything) return;
  append<PodId>(touched_.pods, changes.pods);
  append<GangId>(touched_.gangs, changes.gangs);
  append<NodeId>(touched_.nodes, changes.nodes);
}

// The result is closed: the outcome of a pod depends on the pods of its gang and of its node. The
// session's decisions about pods are among those about their gangs.
Touched Recorder::touched(const Session& session) {
  const Cluster& cluster = session.cluster();
  Touched touched = std::exchange(touched_, {.everything = false});
  if (touched.everything) return touched;
  append(touched.gangs, session.snapshot().worked_gangs());
  append(touched.nodes, session.snapshot().worked_nodes());
  sort_unique(touched.nodes);
  for (NodeId node : touched.nodes) append<PodId>(touched.pods, cluster.pods_of(node));
  sort_unique(touched.pods);
  for (PodId pod : touched.pods) {
    if (cluster.alive(pod)) touched.gangs.push_back(cluster.pods()[pod].gang);
  }
  sort_unique(touched.gangs);
  for (GangId gang : touched.gangs) append<PodId>(touched.pods, cluster.pods_of(gang));
  sort_unique(touched.pods);
  return touched;
}

std::shared_ptr<const CycleRecord> Recorder::record(const Session& session,
                                                    std::shared_ptr<const LearnedMix> learned) {
  Touched touched = this->touched(session);
  std::vector<GangId> speak = std::exchange(with_reasons_, session.gangs_with_reasons());
  auto record = std::make_shared<CycleRecord>();
  if (touched.everything) {
    *record = make_record(session);
  } else {
    record->pods = last_->pods.share();
    record->gangs = last_->gangs.share();
    record->nodes = last_->nodes.share();
    OutcomeWriter writer(session, *record);
    writer.write(touched.pods, touched.gangs, touched.nodes);
    append<GangId>(speak, with_reasons_);
    for (GangId gang : speak) writer.write_reasons(gang);
    append<GangId>(touched.gangs, speak);
    sort_unique(touched.gangs);
    record->touched = std::move(touched);
    record->next_change = next_change(session);
  }
  record->learned = std::move(learned);
  record->found = session.found_appointments();
  record->past_runs = session.past_runs();
  record->appointments = session.appointments();
  last_ = std::move(record);
  return last_;
}

}  // namespace trellis
