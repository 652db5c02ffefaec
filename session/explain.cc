#include "session/explain.h"

#include <algorithm>

#include "framework/topology_levels.h"
#include "session/placement/fit_kernels.h"
#include "session/placement/gang_rows.h"
#include "session/scheduler.h"

namespace trellis {
namespace {

// What is asked of domains: equal pods and how many of them.
struct Asked {
  PodClassId pod_class;
  int64_t pods = 1;
};

Asked asked_of(const Session& session, GangId gang) {
  const GangCounts& counts = session.snapshot().gang_counts()[gang];
  int64_t core = session.cluster().gangs()[gang].min_member - counts.placed;
  Asked asked;
  asked.pods = std::max<int64_t>(1, core);
  std::vector<PodId> pods = session.waiting_pods(gang);
  if (pods.empty()) {
    const std::vector<PodId>& all = session.cluster().pods_of(gang);
    if (!all.empty()) asked.pod_class = session.cluster().pods()[all.front()].pod_class;
  } else {
    asked.pod_class = session.cluster().pods()[pods.front()].pod_class;
  }
  return asked;
}

void add_filter_reasons(Session& session, PodClassId pod_class, NodeId node,
                        std::vector<NodeReason>& reasons) {
  NodeClassId node_class = session.snapshot().node_classes().of_node()[node];
  for (const auto& filter : session.hooks().class_filters) {
    ReasonCode code = filter.point->verdict(pod_class, node_class);
    if (code != ReasonCode::None) reasons.push_back({code, filter.plugin, ResourceId(), 0});
  }
  for (const auto& counter : session.hooks().node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    ReasonCode code = counter.point->refusal(pod_class, FitMode::Now, node);
    if (code != ReasonCode::None) reasons.push_back({code, counter.plugin, ResourceId(), 0});
  }
}

NodeJudgement judge_node(Session& session, PodClassId pod_class, NodeId node) {
  NodeJudgement judgement;
  judgement.node = node;
  const auto& now = session.snapshot().state().now;
  for (const ResourceAmount& item : session.cluster().pod_classes()[pod_class].requests.items()) {
    int64_t missing = item.amount - now[item.resource][node];
    if (missing <= 0) continue;
    bool pods = item.resource == kPods;
    judgement.reasons.push_back({pods ? ReasonCode::TooManyPods : ReasonCode::InsufficientResource,
                                 {},
                                 item.resource,
                                 missing});
  }
  add_filter_reasons(session, pod_class, node, judgement.reasons);
  judgement.fits = judgement.reasons.empty();
  for (const auto& scorer : session.hooks().node_scorers) {
    double score = 0;
    scorer.point->score(pod_class, {&node, 1}, 1.0, {&score, 1});
    judgement.scores.emplace_back(scorer.plugin, score);
    judgement.total += scorer.weight * score;
  }
  return judgement;
}

// Resources of which the nodes cannot give `pods` requests, each for itself.
std::vector<Shortage> shortages(Session& session, const Asked& asked,
                                std::span<const NodeId> nodes) {
  std::vector<Shortage> found;
  const auto& now = session.snapshot().state().now;
  for (const ResourceAmount& item :
       session.cluster().pod_classes()[asked.pod_class].requests.items()) {
    int64_t pods = 0;
    for (NodeId node : nodes) {
      pods += fit_count(now[item.resource][node], item.amount, kMostPodsPerNode);
    }
    if (pods < asked.pods) found.push_back({item.resource, (asked.pods - pods) * item.amount});
  }
  return found;
}

std::vector<DomainJudgement> judge_domains(Session& session, GangId gang) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyConstraint& constraint = cluster.gangs()[gang].topology;
  std::vector<DomainJudgement> judgements;
  if (!constraint.topology.valid()) return judgements;
  TopologyId id = cluster.find_topology(strings.view(constraint.topology));
  Asked asked = asked_of(session, gang);
  if (!id.valid() || !asked.pod_class.valid()) return judgements;
  const Topology& topology = cluster.topologies()[id];
  ResolvedLevels levels = resolve_levels(topology, constraint, strings);
  if (levels.error != ReasonCode::None) return judgements;

  const TopologyTree& tree = session.snapshot().trees()[id];
  const DomainCounts& counts = session.fits().domain_counts(id, asked.pod_class, FitMode::Now);
  int deepest = levels.preferred >= 0 ? levels.preferred : tree.level_count() - 1;
  for (int level = deepest; level >= std::max(levels.required, 0); --level) {
    IdRange range = tree.level(level);
    for (uint32_t i = range.first; i < range.last; ++i) {
      DomainId domain(i);
      DomainJudgement& judgement = judgements.emplace_back();
      judgement.topology = topology.name;
      judgement.level = strings.view(topology.levels[static_cast<size_t>(level)].label);
      for (StrId value : tree.path(domain)) judgement.path.emplace_back(strings.view(value));
      judgement.allocatable_pods = counts[domain];
      judgement.needed = asked.pods;
      judgement.fits = counts[domain] >= asked.pods;
      if (!judgement.fits) judgement.shortages = shortages(session, asked, tree.nodes(domain));
    }
  }
  return judgements;
}

// The required domains where the gang already is; kNone ids where it is free to go.
bool outside_required(const Session& session, GangId gang, NodeId node) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  const TopologyConstraint& constraint = cluster.gangs()[gang].topology;
  if (!constraint.topology.valid() || !constraint.required.valid()) return false;
  TopologyId id = cluster.find_topology(strings.view(constraint.topology));
  if (!id.valid()) return false;
  ResolvedLevels levels = resolve_levels(cluster.topologies()[id], constraint, strings);
  if (levels.required < 0) return false;
  const TopologyTree& tree = session.snapshot().trees()[id];
  DomainId mine = tree.ancestor(tree.domain_of(node), levels.required);
  if (!mine.valid()) return true;
  std::vector<NodeId> placed = session.placed_nodes(gang);
  return !placed.empty() && std::none_of(placed.begin(), placed.end(), [&](NodeId other) {
    return tree.ancestor(tree.domain_of(other), levels.required) == mine;
  });
}

}  // namespace

PodExplanation explain_pod(Scheduler& scheduler, PodId pod) {
  GangId gang = scheduler.cluster().pods()[pod].gang;
  Session& session = scheduler.reopen_without(gang);
  PodClassId pod_class = scheduler.cluster().pods()[pod].pod_class;
  PodExplanation explanation;
  for (NodeId node : session.snapshot().all_nodes().node_order()) {
    NodeJudgement judgement = judge_node(session, pod_class, node);
    if (outside_required(session, gang, node)) {
      judgement.reasons.push_back({ReasonCode::OutsideDomain, "topology", ResourceId(), 0});
      judgement.fits = false;
    }
    explanation.nodes.push_back(std::move(judgement));
  }
  explanation.domains = judge_domains(session, gang);
  return explanation;
}

std::vector<DomainJudgement> explain_gang(Scheduler& scheduler, GangId gang) {
  return judge_domains(scheduler.reopen_without(gang), gang);
}

}  // namespace trellis
