#include "actions/workloads/assigned_pods.h"

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "actions/workloads/workload_slots.h"
#include "session/placement/workload_search.h"

namespace trellis {
namespace {

constexpr std::string_view kWorkerIndex = "leaderworkerset.sigs.k8s.io/worker-index";

// A pod and its domain, by index in the assignment.
struct SlottedPod {
  PodId pod;
  int32_t domain = 0;
};

class AssignedPods {
 public:
  using Decisions = std::span<const WorkloadDecision* const>;

  // `decisions`: of this cycle, about the workload.
  AssignedPods(Session& session, WorkloadId workload, const Admission& admission,
               Decisions decisions)
      : session_(session),
        cluster_(session.cluster()),
        workload_(workload),
        admission_(admission),
        decisions_(decisions) {}

  void place_all() {
    for (size_t i = 0; i < admission_.pod_sets.size(); ++i) {
      if (admission_.pod_sets[i].topology) place_pod_set(i);
    }
  }

 private:
  void place_pod_set(size_t index) {
    pods_.clear();
    for (PodId id : cluster_.workloads().pods_of(workload_)) {
      const PodSlot& slot = cluster_.pods()[id];
      PodStatus status = session_.snapshot().pod(id).status;
      if (has_finished(status)) continue;
      if (slot.pod.pod_set == admission_.pod_sets[index].name) pods_.push_back(id);
    }
    if (std::none_of(pods_.begin(), pods_.end(), [&](PodId id) { return waits(id); })) return;
    std::sort(pods_.begin(), pods_.end(),
              [&](PodId a, PodId b) { return session_.ranks_before(a, b); });
    set_ = flavored_pod_set(session_, workload_, admission_, index);
    if (!set_.topology.valid()) return;
    tree_ = &session_.snapshot().trees()[set_.topology];
    read_domains(*admission_.pod_sets[index].topology);
    read_kept();
    std::vector<SlotPod> asked;
    for (PodId id : pods_) asked.push_back(slot_pod(id, index));
    std::vector<int32_t> domains = assign_slots(slots_, asked);
    std::vector<SlottedPod> waiting;
    for (size_t i = 0; i < pods_.size(); ++i) {
      int32_t domain = domains[i];
      if (waits(pods_[i]) && !asked[i].waits) domain = asked[i].domain;
      if (domain != kNoDomain) waiting.push_back({pods_[i], domain});
    }
    bind_all(std::move(waiting));
  }

  // A pod with terms about other pods may fit only once a later pod of the PodSet is bound: passes
  // are repeated until a pass binds nothing. Of equal pods of one domain, a refused one is tried
  // once a pass.
  void bind_all(std::vector<SlottedPod> waiting) {
    bool progress = true;
    while (progress && !waiting.empty()) {
      size_t before = waiting.size();
      bool linked = false;
      absl::flat_hash_set<std::pair<uint32_t, int32_t>> refused;  // by class and domain
      std::erase_if(waiting, [&](const SlottedPod& row) {
        PodClassId pod_class = session_.snapshot().key(row.pod).pod_class;
        linked = linked || !session_.fits().exact(pod_class);
        std::pair<uint32_t, int32_t> asked(pod_class.value, row.domain);
        if (refused.contains(asked)) return false;
        bool bound = bind(row.pod, domains_[static_cast<size_t>(row.domain)]);
        if (!bound) refused.insert(asked);
        return bound;
      });
      progress = linked && waiting.size() < before;
    }
  }

  bool waits(PodId id) const {
    PodHold hold = session_.snapshot().key(id).hold;
    return session_.snapshot().pod(id).status == PodStatus::Pending &&
           (hold == PodHold::None || hold == PodHold::Workload);
  }

  void read_domains(const TopologyAssignment& assignment) {
    domains_.clear();
    index_.clear();
    slots_.clear();
    size_t width = assignment.levels.size();
    const Topology& topology = cluster_.topologies()[set_.topology];
    for (size_t i = 0; i < assignment.size(); ++i) {
      DomainId domain = session_.snapshot().workloads().slots().find(
          *tree_, set_.topology, topology, cluster_.vocabulary().strings, assignment.levels,
          std::span(assignment.values).subspan(i * width, width));
      index_.try_emplace(domain.value, static_cast<int32_t>(domains_.size()));
      domains_.push_back(domain);
      slots_.push_back({assignment.counts[i], 0, !domain.valid()});
    }
  }

  // The slots that are kept for pods of the PodSet's class, by node: fewer than were assigned where
  // a node takes less than before.
  void read_kept() {
    kept_.clear();
    if (!tree_->deepest_is_node()) {
      for (const SlotFill& fill : session_.loose_slots(workload_)) keep(fill, 1);
      return;
    }
    const AssignedSlots& recorded = session_.snapshot().workloads().slots();
    for (NodeId node : recorded.nodes(workload_)) {
      for (const SlotRow& row : recorded.of(node)) {
        if (row.workload != workload_) continue;
        int32_t used = slot_use(cluster_, node, row).now;
        keep({row.pod_class, node, std::max(row.count - used, 0)}, 1);
      }
    }
    for (const WorkloadDecision* decision : decisions_) {
      for (const SlotFill& fill : decision->slots) keep(fill, 1);
      for (const SlotFill& fill : decision->left) keep(fill, -1);
    }
  }

  void keep(const SlotFill& fill, int32_t times) {
    if (fill.pod_class == set_.pod_class) kept_[fill.node.value] += times * fill.count;
  }

  // Slots that pods of this PodSet, and of equal PodSets before it, took on the node.
  int32_t& entered(NodeId node) { return entered_[{set_.pod_class.value, node.value}]; }

  bool has_slot(NodeId node) {
    auto kept = kept_.find(node.value);
    return kept != kept_.end() && kept->second > entered(node);
  }

  // The domain that the pod's selector names since its gates were removed; kNoDomain: it still has
  // gates.
  int32_t let_go_to(PodId id, size_t set) const {
    const PodSlot& slot = cluster_.pods()[id];
    const TopologyAssignment& assignment = *admission_.pod_sets[set].topology;
    if (slot.pod.hold != PodHold::None || assignment.levels.empty()) return kNoDomain;
    const Labels& selector = cluster_.pod_classes()[slot.pod_class].node_selector;
    auto wanted = [&](StrId level) { return find_label(selector, level); };
    std::span<const StrId> values(assignment.values);
    for (size_t i = 0; i < assignment.size(); ++i) {
      auto path = values.subspan(i * assignment.levels.size(), assignment.levels.size());
      if (std::ranges::equal(path, assignment.levels, {}, {}, wanted)) {
        return static_cast<int32_t>(i);
      }
    }
    return kNoDomain;
  }

  SlotPod slot_pod(PodId id, size_t set) const {
    SlotPod pod;
    pod.rank = rank(cluster_.pods()[id].pod, set);
    pod.waits = waits(id);
    if (pod.waits) pod.domain = let_go_to(id, set);
    if (pod.domain != kNoDomain) {
      pod.waits = false;
      return pod;
    }
    NodeId node = session_.snapshot().pod(id).node;
    if (!pod.waits && node.valid() && tree_->contains(node)) {
      auto at = index_.find(tree_->domain_of(node).value);
      if (at != index_.end()) pod.domain = at->second;
    }
    return pod;
  }

  int32_t number(const Pod& pod, StrId label) const {
    StrId value = label.valid() ? find_label(pod.labels, label) : StrId();
    if (!value.valid()) return kNoRank;
    std::string_view text = cluster_.vocabulary().strings.view(value);
    int32_t number = kNoRank;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? number : kNoRank;
  }

  int32_t rank(const Pod& pod, size_t index) const {
    const PodSet& set = cluster_.workloads()[workload_].pod_sets[index];
    int32_t own = number(pod, set.topology.index_label);
    if (!set.topology.index_label.valid()) own = pod.completion_index;
    if (own < 0) return kNoRank;
    const StringTable& strings = cluster_.vocabulary().strings;
    bool works = index > 0 || (set.topology.group.valid() && set.count > 1);
    bool behind_leader = works && set.topology.index_label.valid() &&
                         strings.view(set.topology.index_label) == kWorkerIndex;
    RankRule rule{admission_.pod_sets[index].count,
                  std::max(set.topology.index_offset, behind_leader ? 1 : 0),
                  set.topology.sub_group_label.valid() ? set.topology.sub_groups : 0};
    return rank_of(rule, own, number(pod, set.topology.sub_group_label));
  }

  bool bind(PodId pod, DomainId domain) {
    PodClassId pod_class = session_.snapshot().key(pod).pod_class;
    for (NodeId node : candidates(domain)) {
      if (!has_slot(node)) continue;
      Statement::Checkpoint start = session_.statement().checkpoint();
      session_.statement().enter_slot(set_.pod_class, node);
      if (session_.fits().node_fit(node, pod_class, FitMode::Now) > 0 &&
          session_.fits().link_verdict(pod_class, FitMode::Now, node).passes() &&
          session_.statement().place(pod, node, FitMode::Now)) {
        ++entered(node);
        return true;
      }
      session_.statement().rollback(start);
    }
    return false;
  }

  // The node itself, or the nodes of the domain that have slots of the workload.
  std::vector<NodeId> candidates(DomainId domain) const {
    std::span<const NodeId> nodes = tree_->nodes(domain);
    if (nodes.size() == 1) return {nodes.front()};
    std::vector<NodeId> bearing;
    for (const SlotFill& fill : session_.loose_slots(workload_)) {
      bool inside = tree_->contains(fill.node) && tree_->domain_of(fill.node) == domain;
      if (inside && fill.pod_class == set_.pod_class) bearing.push_back(fill.node);
    }
    return bearing;
  }

  Session& session_;
  const Cluster& cluster_;
  WorkloadId workload_;
  const Admission& admission_;
  Decisions decisions_;
  std::vector<PodId> pods_;  // of one PodSet
  FlavoredPodSet set_;
  const TopologyTree* tree_ = nullptr;
  std::vector<DomainId> domains_;                 // as the assignment lists them
  absl::flat_hash_map<uint32_t, int32_t> index_;  // of domains_, by domain; never iterated
  std::vector<SlotDomain> slots_;
  absl::flat_hash_map<uint32_t, int32_t> kept_;  // slots, by node; never iterated
  // Slots that pods took, by class and node; never iterated.
  absl::flat_hash_map<std::pair<uint32_t, uint32_t>, int32_t> entered_;
};

}  // namespace

void place_assigned_pods(Session& session, std::string_view action) {
  const Cluster& cluster = session.cluster();
  if (session.snapshot().workloads().empty()) return;
  const WorkloadRecords& records = cluster.workloads();
  std::span<const WorkloadId> holders = session.snapshot().workloads().holders();
  std::vector<WorkloadId> holding(holders.begin(), holders.end());
  absl::flat_hash_map<uint32_t, std::vector<const WorkloadDecision*>> decisions;  // by workload
  for (const WorkloadDecision& decision : session.workload_decisions()) {
    holding.push_back(decision.workload);
    decisions[decision.workload.value].push_back(&decision);
  }
  std::erase_if(holding, [&](WorkloadId id) {
    return records.pods_of(id).empty() || session.admission(id) == nullptr ||
           records[id].finished || records[id].checks_pending;
  });
  std::sort(holding.begin(), holding.end());
  holding.erase(std::unique(holding.begin(), holding.end()), holding.end());
  records.sort_by_name(holding, cluster.vocabulary().strings);
  for (WorkloadId id : holding) {
    AssignedPods(session, id, *session.admission(id), decisions[id.value]).place_all();
  }
  session.commit(action);
}

}  // namespace trellis
