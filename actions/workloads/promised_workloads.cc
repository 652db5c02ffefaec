#include "actions/workloads/promised_workloads.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "actions/workloads/admission.h"
#include "actions/workloads/workload_health.h"
#include "session/cycle/late_reports.h"
#include "session/placement/node_filling.h"

namespace trellis {
namespace {

class WorkloadPromises {
 public:
  WorkloadPromises(Session& session, Admissions admissions)
      : session_(session), cluster_(session.cluster()), admissions_(admissions) {}

  bool run() {
    bool was_open = admissions_ == Admissions::Open;
    for (WorkloadId id : in_order()) {
      if (!keep(id)) lapse(id);
    }
    if (was_open && admissions_ == Admissions::Held) hold_admission(session_);
    return admissions_ == Admissions::Open;
  }

 private:
  // As in the queues: a promise names nodes, and which zones of a node are left for a pod depends
  // on the pods that were counted before.
  std::vector<WorkloadId> in_order() const {
    std::span<const WorkloadId> promised = session_.snapshot().workloads().promised();
    std::vector<WorkloadId> ids(promised.begin(), promised.end());
    const WorkloadRecords& records = cluster_.workloads();
    records.sort_by_name(ids, cluster_.vocabulary().strings);
    std::ranges::stable_sort(ids, [&](WorkloadId a, WorkloadId b) {
      const Workload& of_a = records[a];
      const Workload& of_b = records[b];
      if (of_a.priority != of_b.priority) return of_a.priority > of_b.priority;
      return of_a.queued < of_b.queued;
    });
    return ids;
  }

  bool keep(WorkloadId id) {
    std::optional<Nomination> nomination = nominate(id);
    if (!nomination) return false;
    if (admissions_ == Admissions::Open && has_left(id) && take(*nomination, FitMode::Now)) {
      admit(session_, *nomination);
      if (session_.config().wait_for_pods_ready.block_admission) admissions_ = Admissions::Held;
      return true;
    }
    if (!take(*nomination, FitMode::Future)) return false;
    std::optional<Reason> reason = late_report(session_, nomination->place);
    if (!reason) reason = {.code = ReasonCode::WaitingForPromisedPlace, .plugin = "admit"};
    session_.decide(promise(session_, *nomination, std::move(*reason)));
    session_.commit("admit");
    return true;
  }

  void lapse(WorkloadId id) {
    WorkloadDecision decision;
    decision.kind = WorkloadDecision::Kind::Lapse;
    decision.workload = id;
    session_.decide(std::move(decision));
  }

  // The promise as a nomination with quota; nullopt: it does not stand any more.
  std::optional<Nomination> nominate(WorkloadId id) const {
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    const Workload& workload = cluster_.workloads()[id];
    bool waits = ledger.states()[id].waits_in.valid() && !backs_off(workload, session_.now());
    ClusterQueueId queue = cluster_.workloads().cluster_queues().find(
        cluster_.vocabulary().strings.view(workload.promised->cluster_queue));
    if (!waits || !queue.valid() || queue != ledger.queue_of(id)) return std::nullopt;
    std::optional<Nomination> nomination = nomination_of(session_, id, queue, *workload.promised);
    bool fits = nomination && session_.hooks().quota_rules->fits(queue, nomination->amounts);
    return fits ? std::move(nomination) : std::nullopt;
  }

  // Whether all pods of its last admission are gone.
  bool has_left(WorkloadId id) const {
    return std::ranges::none_of(cluster_.workloads().pods_of(id), [&](PodId pod) {
      PodState state = session_.snapshot().pod(pod);
      return state.node.valid() && !has_finished(state.status);
    });
  }

  // Takes the slots of all PodSets, or none.
  bool take(Nomination& nomination, FitMode mode) {
    Statement::Checkpoint start = session_.statement().checkpoint();
    const Admission& promised = *cluster_.workloads()[nomination.workload].promised;
    nomination.place = {};
    for (const FlavoredPodSet& set : nomination.placed) {
      PodSetPlace& place = nomination.place.pod_sets.emplace_back();
      place.set = set;
      if (take(*promised.pod_sets[set.pod_set].topology, mode, place)) continue;
      session_.statement().rollback(start);
      return false;
    }
    if (keeps_levels(nomination)) return true;
    session_.statement().rollback(start);
    return false;
  }

  bool take(const TopologyAssignment& assignment, FitMode mode, PodSetPlace& place) {
    const TopologyTree& tree = session_.snapshot().trees()[place.set.topology];
    const Topology& topology = cluster_.topologies()[place.set.topology];
    size_t width = assignment.levels.size();
    int64_t pods = 0;
    for (size_t i = 0; i < assignment.size(); ++i) {
      int32_t count = assignment.counts[i];
      DomainId leaf = session_.snapshot().workloads().slots().find(
          tree, place.set.topology, topology, cluster_.vocabulary().strings, assignment.levels,
          std::span(assignment.values).subspan(i * width, width));
      if (!leaf.valid()) return false;
      FillRequest request{place.set.pod_class, count, mode, {}};
      int32_t taken = fill_nodes_with(session_, request, tree.nodes(leaf), place.slots);
      if (taken != count) return false;
      place.leaves.emplace_back(leaf, count);
      pods += count;
    }
    std::ranges::sort(place.leaves);
    return pods == place.set.count;
  }

  // Labels of nodes change: what must be in one domain still is.
  bool keeps_levels(const Nomination& nomination) const {
    std::optional<UnitError> error;
    const Workload& workload = cluster_.workloads()[nomination.workload];
    std::vector<WorkloadUnit> units = workload_units(cluster_, workload, nomination.placed, error);
    if (error) return false;
    return std::ranges::all_of(units, [&](const WorkloadUnit& unit) {
      return unit.mode != KueueMode::Required || is_inside_one(nomination, unit);
    });
  }

  bool is_inside_one(const Nomination& nomination, const WorkloadUnit& unit) const {
    const TopologyTree& tree = session_.snapshot().trees()[unit.workers.topology];
    DomainId inside;
    for (const PodSetPlace& place : nomination.place.pod_sets) {
      bool member = place.set.pod_set == unit.workers.pod_set ||
                    (unit.leader && place.set.pod_set == unit.leader->pod_set);
      if (!member) continue;
      for (const auto& [leaf, count] : place.leaves) {
        DomainId domain = tree.ancestor(leaf, unit.level);
        if (inside.valid() && domain != inside) return false;
        inside = domain;
      }
    }
    return true;
  }

  Session& session_;
  const Cluster& cluster_;
  Admissions admissions_;
};

}  // namespace

bool keep_workload_promises(Session& session, Admissions admissions) {
  return WorkloadPromises(session, admissions).run();
}

}  // namespace trellis
