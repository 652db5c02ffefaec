#include "actions/workloads/admission.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/workloads/workload_slots.h"
#include "session/cycle/session_workloads.h"
#include "session/placement/leaf_columns.h"

namespace trellis {
namespace {

constexpr std::string_view kAction = "admit";

std::vector<SlotFill> slots_of(const Nomination& nomination) {
  std::vector<SlotFill> slots;
  for (const PodSetPlace& place : nomination.place.pod_sets) {
    slots.insert(slots.end(), place.slots.begin(), place.slots.end());
  }
  return slots;
}

WorkloadDecision taking(PlacementContext& context, WorkloadDecision::Kind kind,
                        const Nomination& nomination) {
  context.statement().hold_quota(nomination.workload, nomination.queue, nomination.amounts);
  WorkloadDecision decision;
  decision.kind = kind;
  decision.workload = nomination.workload;
  decision.queue = nomination.queue;
  decision.admission = make_admission(context, nomination);
  decision.amounts = nomination.amounts;
  decision.slots = slots_of(nomination);
  return decision;
}

}  // namespace

// By hostname alone, as Kueue writes it, unless a hostname belongs to two of the topology's nodes.
TopologyAssignment make_assignment(const PlacementContext& context, const PodSetPlace& place) {
  const Cluster& cluster = context.cluster();
  TopologyId topology = place.set.topology;
  const TopologyTree& tree = context.snapshot().trees()[topology];
  const AssignedSlots& slots = context.snapshot().workloads().slots();
  TopologyAssignment assignment;
  const auto& levels = cluster.topologies()[topology].levels;
  bool by_name =
      ends_in_nodes(cluster, topology) && std::ranges::all_of(place.leaves, [&](const auto& leaf) {
        return slots.has_own_name(tree, topology, leaf.first);
      });
  for (const TopologyLevel& level : levels) assignment.levels.push_back(level.label);
  if (by_name) assignment.levels = {levels.back().label};
  for (const auto& [leaf, count] : place.leaves) {
    if (by_name) {
      assignment.values.push_back(tree.value(leaf));
    } else {
      std::vector<StrId> path = tree.path(leaf);
      assignment.values.insert(assignment.values.end(), path.begin(), path.end());
    }
    assignment.counts.push_back(count);
  }
  sort_domains(assignment, cluster.vocabulary().strings);
  return assignment;
}

std::shared_ptr<const Admission> make_admission(const PlacementContext& context,
                                                const Nomination& nomination) {
  const Cluster& cluster = context.cluster();
  Admission admission;
  const ClusterQueue& queue = cluster.workloads().cluster_queues()[nomination.queue];
  admission.cluster_queue = cluster.vocabulary().strings.find(queue.name);
  admission.pod_sets = nomination.sets;
  admission.reserved_at = context.now();
  bool pending = cluster.workloads()[nomination.workload].checks_pending;
  for (const FlavoredPodSet& set : nomination.placed) {
    admission.pod_sets[set.pod_set].delayed_topology = pending;
  }
  if (!pending) {
    for (const PodSetPlace& place : nomination.place.pod_sets) {
      admission.pod_sets[place.set.pod_set].topology = make_assignment(context, place);
    }
  }
  return std::make_shared<const Admission>(std::move(admission));
}

void keep_loose(Session& session, WorkloadId workload, std::span<const PodSetPlace> places) {
  for (const PodSetPlace& place : places) {
    bool loose = !session.snapshot().trees()[place.set.topology].deepest_is_node();
    if (loose) session.keep_loose(workload, place.slots);
  }
}

namespace {

// Pods of PodSets without a topology waited for quota alone: they may be placed in this cycle.
void start_pods(Session& session, const Nomination& nomination) {
  const Cluster& cluster = session.cluster();
  const WorkloadLedger& ledger = session.snapshot().workloads();
  for (PodId pod : cluster.workloads().pods_of(nomination.workload)) {
    const PodKey& key = session.snapshot().key(pod);
    bool waits =
        key.hold == PodHold::Workload && session.snapshot().pod(pod).status == PodStatus::Pending;
    auto set =
        std::ranges::find(nomination.sets, cluster.pods()[pod].pod.pod_set, &PodSetAdmission::name);
    if (!waits || set == nomination.sets.end() || ledger.placed_flavor(cluster, *set).valid()) {
      continue;
    }
    PodClassId started = ledger.started(nomination.queue, *set, key.pod_class);
    if (started.valid()) session.statement().let_go(pod, started);
  }
}

}  // namespace

void admit(Session& session, const Nomination& nomination) {
  keep_loose(session, nomination.workload, nomination.place.pod_sets);
  session.decide(taking(session, WorkloadDecision::Kind::Admit, nomination));
  if (session.cluster().workloads()[nomination.workload].checks_pending) {
    Reason reason{.code = ReasonCode::PendingDelayedTopologyRequests, .plugin = kAction};
    session.set_reasons(nomination.workload, std::make_shared<const std::vector<Reason>>(
                                                 std::vector<Reason>{std::move(reason)}));
  }
  session.commit(kAction);
  if (!session.cluster().workloads()[nomination.workload].checks_pending) {
    start_pods(session, nomination);
  }
}

WorkloadDecision await(PlacementContext& context, const Nomination& nomination, Reason reason) {
  WorkloadDecision decision = taking(context, WorkloadDecision::Kind::Await, nomination);
  decision.reason = std::move(reason);
  return decision;
}

WorkloadDecision promise(PlacementContext& context, const Nomination& nomination, Reason reason) {
  WorkloadDecision decision = taking(context, WorkloadDecision::Kind::Promise, nomination);
  decision.reason = std::move(reason);
  return decision;
}

WorkloadDecision move(PlacementContext& context, const Nomination& nomination,
                      WorkloadDecision decision) {
  WorkloadDecision moved = taking(context, WorkloadDecision::Kind::Move, nomination);
  moved.left = std::move(decision.left);
  moved.reason = std::move(decision.reason);
  moved.by = decision.by;
  return moved;
}

WorkloadDecision leave(Session& session, WorkloadId workload, Reason reason, Beneficiary by) {
  WorkloadDecision decision;
  decision.kind = WorkloadDecision::Kind::Evict;
  decision.workload = workload;
  decision.reason = std::move(reason);
  decision.by = by;
  decision.left = depart(session, workload, by);
  return decision;
}

void evict(Session& session, WorkloadId workload, Reason reason) {
  session.decide(leave(session, workload, std::move(reason), {}));
  session.commit(kAction);
}

namespace {

// The counts when `less` of the `most` pods that may be left out are left out.
std::vector<int32_t> counts_with(const Workload& workload, int64_t less, int64_t most) {
  std::vector<int32_t> counts;
  for (const PodSet& set : workload.pod_sets) {
    int64_t spare = set.count - set.min_count.value_or(set.count);
    counts.push_back(static_cast<int32_t>(set.count - spare * less / most));
  }
  return counts;
}

}  // namespace

bool admit_partly(Session& session, Nominator& nominator, WorkloadId id, ClusterQueueId queue) {
  const Workload& workload = session.cluster().workloads()[id];
  int64_t most = 0;
  for (const PodSet& set : workload.pod_sets) {
    most += set.count - set.min_count.value_or(set.count);
  }
  if (most == 0) return false;
  Statement::Checkpoint start = session.statement().checkpoint();
  Nomination best;
  auto fits = [&](int64_t less) {
    session.statement().rollback(start);
    nominator.begin(id, queue);
    nominator.set_counts(counts_with(workload, less, most));
    return nominator.find(Nominator::Need::Fit, best);
  };
  // The fewest pods that must be left out.
  int64_t low = 1;
  int64_t high = most + 1;
  int64_t held = 0;  // the `less` that the statement holds; 0: it holds none
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (fits(middle)) {
      held = high = middle;
    } else {
      low = middle + 1;
      held = 0;
    }
  }
  if (high > most || (held != high && !fits(high))) {
    session.statement().rollback(start);
    return false;
  }
  admit(session, best);
  return true;
}

}  // namespace trellis
