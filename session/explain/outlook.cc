#include "session/explain/outlook.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "session/cycle/session_workloads.h"

namespace trellis {
namespace {

// How many of the part's pods each domain takes; pods that differ are judged by those that fit
// least often, as in a judgement.
class OutlookCounts {
 public:
  OutlookCounts(Session& session, TopologyId topology, const DemandPart& part) {
    for (const AskedRow& row : part.rows) {
      counts_.push_back(&session.fits().domain_counts(topology, row.pod_class, FitMode::Now));
      asked_.push_back(row.pods);
    }
  }

  bool takes(DomainId domain) const {
    for (size_t i = 0; i < counts_.size(); ++i) {
      if ((*counts_[i])[domain] < asked_[i]) return false;
    }
    return true;
  }
  int64_t first(DomainId domain) const { return (*counts_.front())[domain]; }

 private:
  std::vector<const DomainCounts*> counts_;
  std::vector<int64_t> asked_;
};

void look_above(const TopologyTree& tree, const OutlookCounts& counts, int required,
                PartOutlook& outlook) {
  outlook.anywhere = counts.takes(tree.root());
  for (int level = required - 1; level >= 0 && !outlook.above.domain.valid(); --level) {
    IdRange domains = tree.level(level);
    for (uint32_t id = domains.first; id < domains.last; ++id) {
      DomainId domain(id);
      if (!counts.takes(domain)) continue;
      if (outlook.above.domain.valid() && counts.first(domain) <= outlook.above_pods) continue;
      outlook.above.domain = domain;
      outlook.above_pods = counts.first(domain);
      outlook.levels_up = required - level;
    }
  }
}

}  // namespace

std::optional<PartOutlook> outlook_of(Session& session, const DemandExplanation& explanation,
                                      uint32_t index) {
  const DemandPart& part = explanation.parts[index];
  PartLevels levels = levels_of(session.cluster(), part.topology);
  TopologyId topology = levels.topology;
  bool asks = topology.valid() && levels.required >= 0 && part.placed.empty();
  if (!asks || !explanation.fits_nowhere(index)) return std::nullopt;
  const TopologyTree& tree = session.snapshot().tree(topology);
  PartOutlook outlook;
  outlook.needed = part.rows.front().pods;
  outlook.largest.topology = outlook.above.topology = topology;
  EmptyNodes empty(session, part.rows.front().pod_class);
  int64_t best = 0;  // that a node takes
  IdRange domains = tree.level(levels.required);
  for (uint32_t id = domains.first; id < domains.last; ++id) {
    std::span<const NodeId> nodes = tree.nodes(DomainId(id));
    auto size = static_cast<int64_t>(nodes.size());
    if (size > outlook.largest_nodes) outlook.largest.domain = DomainId(id);
    outlook.largest_nodes = std::max(outlook.largest_nodes, size);
    int64_t pods = 0;
    for (NodeId node : nodes) {
      int64_t fit = empty.fit(node);
      pods += fit;
      best = std::max(best, fit);
    }
    outlook.if_empty = std::max(outlook.if_empty, pods);
  }
  outlook.at_most = outlook.largest_nodes * best;
  look_above(tree, OutlookCounts(session, topology, part), levels.required, outlook);
  return outlook;
}

namespace {

class Movers {
 public:
  Movers(Session& session, const DemandExplanation& explanation, const DomainJudgement& judgement)
      : session_(session),
        cluster_(session.cluster()),
        part_(explanation.part_of(judgement)),
        domain_(judgement.domain),
        start_(session.statement().checkpoint()) {
    nodes_ = nodes_of(session, domain_);
    inside_.resize(cluster_.nodes().size());
    for (NodeId node : nodes_) inside_[node] = 1;
  }
  ~Movers() { session_.statement().rollback(start_); }
  Movers(const Movers&) = delete;
  Movers& operator=(const Movers&) = delete;

  std::vector<Holding> find() {
    std::vector<Holding> chosen = holdings_on(session_, nodes_);
    std::erase_if(chosen, [&](const Holding& one) { return !may_leave(one.gang); });
    std::ranges::move(slots_on(session_, nodes_), std::back_inserter(chosen));
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](const Holding& a, const Holding& b) { return order(a) < order(b); });
    size_t count = 0;
    while (!fits()) {
      if (count == std::min(chosen.size(), kMostMoved)) return {};
      evict(chosen[count++]);
    }
    chosen.resize(count);
    give_back(chosen);
    return chosen;
  }

 private:
  std::tuple<bool, int32_t, int64_t> order(const Holding& one) const {
    int64_t gpus = one.holds.get(kGpu) + one.holds.get(kAmdGpu);
    int64_t weight = -(gpus > 0 ? gpus : one.holds.get(kCpu));
    if (one.workload.valid()) return {false, cluster_.workloads()[one.workload].priority, weight};
    const Gang& gang = cluster_.gangs()[one.gang];
    return {!gang.preemptible, gang.priority, weight};
  }

  // The room of pods in slots is the workload's.
  bool may_leave(GangId gang) const {
    if (has_pods_in_slots(session_, gang)) return false;
    const std::vector<PodId>& pods = cluster_.pods_of(gang);
    return std::none_of(pods.begin(), pods.end(), [&](PodId pod) {
      return cluster_.pods()[pod].pod.hold == PodHold::OtherScheduler;
    });
  }

  void evict(const Holding& one) {
    if (one.workload.valid()) {
      depart(session_, one.workload, {});
      return;
    }
    for (PodId pod : cluster_.pods_of(one.gang)) {
      PodState state = session_.snapshot().pod(pod);
      if (!is_active(state.status) || !state.node.valid() || inside_[state.node] == 0) continue;
      session_.statement().evict(pod, GangId());
    }
  }

  // Whether the pods fit once those that were evicted have left.
  bool fits() {
    return std::all_of(part_.rows.begin(), part_.rows.end(), [&](const AskedRow& row) {
      FitCache& fits = session_.fits();
      int64_t pods = domain_.topology.valid() ? fits.domain_counts(domain_.topology, row.pod_class,
                                                                   FitMode::Future)[domain_.domain]
                                              : fits.total(row.pod_class, FitMode::Future);
      return pods >= row.pods;
    });
  }

  // Gives back those that need not leave, the last ones first: they weigh most.
  void give_back(std::vector<Holding>& chosen) {
    for (size_t i = chosen.size(); i-- > 0;) {
      session_.statement().rollback(start_);
      for (size_t k = 0; k < chosen.size(); ++k) {
        if (k != i) evict(chosen[k]);
      }
      if (fits()) chosen.erase(chosen.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }

  Session& session_;
  const Cluster& cluster_;
  const DemandPart& part_;
  DomainRef domain_;
  Statement::Checkpoint start_;
  std::span<const NodeId> nodes_;
  IndexedVector<NodeId, uint8_t> inside_;
};

}  // namespace

std::vector<Holding> find_in_the_way(Session& session, const DemandExplanation& explanation,
                                     const DomainJudgement& judgement) {
  if (judgement.fits) return {};
  return Movers(session, explanation, judgement).find();
}

std::vector<PartHelp> help_for(Session& session, const DemandExplanation& explanation) {
  std::vector<PartHelp> helps(explanation.parts.size());
  for (uint32_t index = 0; index < helps.size(); ++index) {
    const DemandPart& part = explanation.parts[index];
    if (part.mode == FitMode::Future || !explanation.fits_nowhere(index)) continue;
    PartHelp& help = helps[index];
    help.settled = part.rows.size() == 1 && part.segments.empty() && !part.by_count;
    help.outlook = outlook_of(session, explanation, index);
    const DomainJudgement* nearest = explanation.nearest_miss(session, index);
    if (nearest == nullptr || !help.settled) continue;
    help.nearest = nearest->domain;
    help.in_the_way = find_in_the_way(session, explanation, *nearest);
  }
  return helps;
}

}  // namespace trellis
