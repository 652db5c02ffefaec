#include "actions/workloads/node_replacement.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "actions/workloads/admission.h"
#include "session/placement/workload_search.h"

namespace trellis {
namespace {

using Leaves = std::map<DomainId, int32_t>;

// One PodSet's slots: those that remain, and how many have lost their node.
struct Losses {
  Leaves kept;
  int32_t missing = 0;
  std::vector<SlotFill> left;  // on nodes that failed but still exist
};

// Whether the node has a taint that the slot's pods do not tolerate.
bool repels(PlacementContext& context, const SlotRow& row, NodeId node) {
  return context.fits().class_verdict(row.pod_class, node) == ReasonCode::UntoleratedTaint;
}

class Replacement {
 public:
  Replacement(Session& session, WorkloadId workload)
      : session_(session),
        cluster_(session.cluster()),
        slots_(session.snapshot().workloads().slots()),
        workload_(workload),
        search_(session) {}

  bool run(std::string& failed) {
    const Workload& record = cluster_.workloads()[workload_];
    Admission admission = *record.admission;
    Statement::Checkpoint start = session_.statement().checkpoint();
    WorkloadDecision decision;
    decision.kind = WorkloadDecision::Kind::Reassign;
    decision.workload = workload_;
    std::vector<PodSetPlace> places;
    for (size_t i = 0; i < admission.pod_sets.size(); ++i) {
      FlavoredPodSet set = flavored_pod_set(session_, workload_, admission, i);
      if (!set.topology.valid() || !admission.pod_sets[i].topology) continue;
      Losses losses = read_losses(set);
      if (losses.missing == 0) continue;
      PodSetPlace place{set, {}, {}};
      if (!replace(set, losses, place)) {
        session_.statement().rollback(start);
        failed = failed_names();
        return false;
      }
      admission.pod_sets[i].topology = make_assignment(session_, place);
      places.push_back(place);
      decision.slots.insert(decision.slots.end(), place.slots.begin(), place.slots.end());
      decision.left.insert(decision.left.end(), losses.left.begin(), losses.left.end());
    }
    if (failed_.empty() || decision.slots.empty()) return true;
    for (const SlotFill& fill : decision.left) {
      session_.statement().leave_slots(fill.pod_class, fill.node, fill.count);
    }
    keep_loose(session_, workload_, places);
    decision.admission = std::make_shared<const Admission>(std::move(admission));
    session_.decide(std::move(decision));
    session_.commit("admit");
    return true;
  }

 private:
  // A node fails a workload when it is not Ready or tainted, and none of its pods is there any
  // more.
  bool has_failed(NodeId node, const SlotRow& row) const {
    const Node& record = cluster_.nodes()[node];
    const std::vector<std::string>& listed = cluster_.workloads()[workload_].unhealthy_nodes;
    bool bad = !record.ready || repels(session_, row, node) ||
               std::find(listed.begin(), listed.end(), record.name) != listed.end();
    return bad && slot_use(cluster_, node, row).now == 0;
  }

  Losses read_losses(const FlavoredPodSet& set) {
    Losses losses;
    const TopologyTree& tree = session_.snapshot().trees()[set.topology];
    for (NodeId node : slots_.nodes(workload_)) {
      for (const SlotRow& row : slots_.of(node)) {
        if (row.workload != workload_ || row.pod_set != set.pod_set) continue;
        if (!has_failed(node, row)) {
          losses.kept[tree.domain_of(node)] += row.count;
          continue;
        }
        failed_.insert(cluster_.nodes()[node].name);
        losses.missing += row.count;
        losses.left.push_back({row.pod_class, node, row.count});
      }
    }
    for (const DomainSlots& loose : slots_.loose(workload_)) {
      if (loose.row.pod_set == set.pod_set) losses.kept[loose.domain] += loose.row.count;
    }
    for (const LostSlots& lost : slots_.lost(workload_)) {
      if (lost.pod_set != set.pod_set || !lost.gone) continue;
      failed_.insert(lost.value);
      losses.missing += lost.count;
    }
    return losses;
  }

  bool replace(const FlavoredPodSet& set, const Losses& losses, PodSetPlace& place) {
    const Workload& record = cluster_.workloads()[workload_];
    std::optional<UnitError> error;
    std::vector<WorkloadUnit> units = workload_units(cluster_, record, {&set, 1}, error);
    if (error || units.empty()) return false;
    const WorkloadUnit& unit = units.front();
    const TopologyTree& tree = session_.snapshot().trees()[set.topology];
    DomainId bound;
    if (unit.mode == KueueMode::Required && !losses.kept.empty()) {
      bound = tree.ancestor(losses.kept.begin()->first, unit.level);
    }
    Leaves leaves = losses.kept;
    int32_t missing = losses.missing;
    if (!unit.segments.empty()) {
      SegmentLevel finest = unit.segments.back();
      for (const auto& [domain, deficit] : broken_segments(tree, losses.kept, finest)) {
        int32_t count = std::min(missing, deficit);
        if (count == 0) continue;
        if (!find(unit, count, Segments::No, domain, place, leaves)) return false;
        missing -= count;
      }
    }
    if (missing > 0 && !find(unit, missing, Segments::Yes, bound, place, leaves)) return false;
    place.leaves.assign(leaves.begin(), leaves.end());
    return true;
  }

  // Segments that lost pods, with how many they lost.
  static Leaves broken_segments(const TopologyTree& tree, const Leaves& kept,
                                const SegmentLevel& segment) {
    Leaves counts;
    for (const auto& [leaf, count] : kept) counts[tree.ancestor(leaf, segment.level)] += count;
    int32_t size = static_cast<int32_t>(segment.size);
    Leaves broken;
    for (const auto& [domain, count] : counts) {
      if (count % size != 0) broken[domain] = size - count % size;
    }
    return broken;
  }

  enum class Segments : uint8_t { No, Yes };

  bool find(WorkloadUnit unit, int32_t pods, Segments segments, DomainId within, PodSetPlace& place,
            Leaves& leaves) {
    unit.workers.count = pods;
    bool whole = segments == Segments::Yes && !unit.segments.empty() &&
                 pods % unit.segments.back().size == 0;
    if (!whole) {
      unit.segments.clear();
      unit.layers.clear();
    }
    std::optional<UnitPlace> found = search_.place_more(unit, FitMode::Now, within);
    if (!found) return false;
    place.slots.insert(place.slots.end(), found->workers.begin(), found->workers.end());
    for (const LeafCounts& leaf : found->leaves) leaves[leaf.leaf] += leaf.workers;
    return true;
  }

  std::string failed_names() const {
    std::string names;
    for (const std::string& name : failed_) names += (names.empty() ? "" : ", ") + name;
    return names;
  }

  Session& session_;
  const Cluster& cluster_;
  const AssignedSlots& slots_;
  WorkloadId workload_;
  WorkloadSearch search_;
  std::set<std::string> failed_;
};

}  // namespace

bool may_have_lost_slots(PlacementContext& context, WorkloadId workload) {
  const AssignedSlots& slots = context.snapshot().workloads().slots();
  const Cluster& cluster = context.cluster();
  if (!slots.lost(workload).empty()) return true;
  if (!cluster.workloads()[workload].unhealthy_nodes.empty()) return true;
  for (NodeId id : slots.nodes(workload)) {
    const Node& node = cluster.nodes()[id];
    if (!node.ready) return true;
    if (node.taints.empty()) continue;
    for (const SlotRow& row : slots.of(id)) {
      if (row.workload == workload && repels(context, row, id)) return true;
    }
  }
  return false;
}

bool replace_lost_slots(Session& session, WorkloadId workload, std::string& failed) {
  return Replacement(session, workload).run(failed);
}

bool place_delayed(Session& session, WorkloadId workload) {
  const Workload& record = session.cluster().workloads()[workload];
  std::vector<FlavoredPodSet> sets;
  for (size_t i = 0; i < record.admission->pod_sets.size(); ++i) {
    FlavoredPodSet set = flavored_pod_set(session, workload, *record.admission, i);
    if (set.topology.valid()) sets.push_back(set);
  }
  WorkloadSearch search(session);
  WorkloadPlace place;
  if (!search.place(record, sets, FitMode::Now, place)) return false;
  Admission admission = *record.admission;
  WorkloadDecision decision;
  decision.kind = WorkloadDecision::Kind::Reassign;
  decision.workload = workload;
  for (const PodSetPlace& of_set : place.pod_sets) {
    PodSetAdmission& made = admission.pod_sets[of_set.set.pod_set];
    made.topology = make_assignment(session, of_set);
    decision.slots.insert(decision.slots.end(), of_set.slots.begin(), of_set.slots.end());
  }
  keep_loose(session, workload, place.pod_sets);
  decision.admission = std::make_shared<const Admission>(std::move(admission));
  session.decide(std::move(decision));
  session.commit("admit");
  return true;
}

}  // namespace trellis
