#include "session/explain/pod_explanation.h"

#include <algorithm>

#include "framework/resource_order.h"
#include "session/cycle/scheduler.h"
#include "topology/tree.h"

namespace trellis {
namespace {

NodeJudgement judge_node(Session& session, PodId pod, FitMode mode, NodeId node) {
  NodeJudgement judgement;
  judgement.node = node;
  PodClassId pod_class = session.cluster().pods()[pod].pod_class;
  judgement.reasons = refusals_of(session, pod_class, mode, node, pod);
  judgement.fits = judgement.reasons.empty();
  for (const auto& scorer : session.hooks().node_scorers) {
    double score = 0;
    scorer.point->score(pod_class, {&node, 1}, 1.0, {&score, 1});
    judgement.scores.emplace_back(scorer.plugin, score);
    judgement.total += scorer.weight * score;
  }
  return judgement;
}

// A pod is not in its own way on the node that it has.
NodeJudgement judge_own_node(Session& session, PodId pod, NodeId node) {
  Statement::Checkpoint start = session.statement().checkpoint();
  session.statement().evict(pod, GangId());
  NodeJudgement judgement = judge_node(session, pod, FitMode::Future, node);
  session.statement().rollback(start);
  return judgement;
}

bool has_node(const Session& session, PodId pod, NodeId node) {
  const PodState& state = session.snapshot().pod(pod);
  bool stays = state.status == PodStatus::Bound || state.status == PodStatus::Running;
  return stays && state.node == node;
}

// Domains of one required level where pods that must share one already are.
struct Bound {
  TopologyId topology;
  int level = -1;
  bool free = true;  // any domain of that level is allowed: no pod is placed
  std::vector<DomainId> domains;
};

// Whether the subgroup is on the path from the pod's own subgroup to the gang.
bool is_above(const Gang& gang, StrId leaf, StrId subgroup) {
  int32_t at = -1;
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    if (gang.subgroups[i].name == leaf) at = static_cast<int32_t>(i);
  }
  for (; at >= 0; at = gang.subgroups[static_cast<size_t>(at)].parent) {
    if (gang.subgroups[static_cast<size_t>(at)].name == subgroup) return true;
  }
  return false;
}

std::vector<Bound> bounds_of(const Session& session, PodId pod) {
  const Cluster& cluster = session.cluster();
  const Gang& gang = cluster.gangs()[cluster.pods()[pod].gang];
  std::vector<Bound> bounds;
  for (const DemandPart& part : gang_parts(session, cluster.pods()[pod].gang)) {
    if (part.subgroup.valid() && !is_above(gang, cluster.pods()[pod].pod.subgroup, part.subgroup)) {
      continue;
    }
    PartLevels levels = levels_of(cluster, part.topology);
    if (!levels.topology.valid() || levels.required < 0) continue;
    Bound bound;
    bound.topology = levels.topology;
    bound.level = levels.required;
    const TopologyTree& tree = session.snapshot().trees()[bound.topology];
    bound.free = part.placed.empty();
    bound.domains = home_domains(tree, part.placed, bound.level);
    bounds.push_back(std::move(bound));
  }
  return bounds;
}

// Adds scores that compare the nodes that can take the pod; other nodes get none.
void add_link_scores(Session& session, PodClassId pod_class, std::vector<NodeJudgement>& nodes) {
  std::vector<NodeId> open;
  std::vector<NodeJudgement*> judged;
  for (NodeJudgement& judgement : nodes) {
    if (!judgement.fits) continue;
    open.push_back(judgement.node);
    judged.push_back(&judgement);
  }
  for (const auto& scorer : session.hooks().link_scorers) {
    if (!scorer.point->scores_links(pod_class)) continue;
    std::vector<double> scores(open.size(), 0.0);
    scorer.point->score_links(pod_class, FitMode::Now, open, 1.0, scores);
    for (size_t i = 0; i < open.size(); ++i) {
      judged[i]->scores.emplace_back(scorer.plugin, scores[i]);
      judged[i]->total += scorer.weight * scores[i];
    }
  }
}

StrId container_name(const Cluster& cluster, PodId pod, int32_t container) {
  if (!pod.valid() || container < 0) return {};
  const SharedValue<PodContainers>& containers = cluster.pods()[pod].pod.containers;
  auto index = static_cast<size_t>(container);
  return containers && index < containers->names.size() ? containers->names[index] : StrId();
}

bool outside(const Session& session, const Bound& bound, NodeId node) {
  const TopologyTree& tree = session.snapshot().trees()[bound.topology];
  DomainId mine = tree.ancestor(tree.domain_of(node), bound.level);
  if (!mine.valid()) return true;
  return !bound.free && !std::ranges::binary_search(bound.domains, mine);
}

}  // namespace

std::vector<NodeReason> refusals_of(Session& session, PodClassId pod_class, FitMode mode,
                                    NodeId node, PodId pod) {
  std::vector<NodeReason> reasons;
  const auto& free = session.snapshot().state().columns(mode);
  for (const ResourceAmount& item : session.cluster().pod_classes()[pod_class].requests.items()) {
    int64_t missing = item.amount - free[item.resource][node];
    if (missing <= 0) continue;
    bool pods = item.resource == kPods;
    reasons.push_back({pods ? ReasonCode::TooManyPods : ReasonCode::InsufficientResource,
                       {},
                       item.resource,
                       missing});
  }
  const ResourceTable& resources = session.cluster().vocabulary().resources;
  std::ranges::sort(reasons, [&](const NodeReason& a, const NodeReason& b) {
    return reported_before(resources, a.resource, b.resource);
  });
  NodeClassId node_class = session.snapshot().node_classes().of_node()[node];
  std::vector<ReasonCode> codes;
  for (const auto& filter : session.hooks().class_filters) {
    codes.clear();
    filter.point->append_verdicts(pod_class, node_class, codes);
    for (ReasonCode code : codes) reasons.push_back({code, filter.plugin, ResourceId(), 0});
  }
  for (const auto& counter : session.hooks().node_counters) {
    if (!counter.point->applies(pod_class)) continue;
    codes.clear();
    counter.point->append_refusals(pod_class, mode, node, codes);
    if (codes.empty()) continue;
    for (ReasonCode code : codes) reasons.push_back({code, counter.plugin, ResourceId(), 0});
    if (const auto* devices = dynamic_cast<const DeviceAllocator*>(counter.point)) {
      devices->explain(pod_class, mode, node, reasons.back().devices);
    }
    const auto* judge = dynamic_cast<const PartJudge*>(counter.point);
    if (judge == nullptr) continue;
    PartRefusal refusal = judge->part_refusal(pod_class, mode, node);
    reasons.back().container = container_name(session.cluster(), pod, refusal.container);
    reasons.back().parts = std::move(refusal.shortages);
  }
  for (const auto& links : session.hooks().pod_links) {
    ReasonCode code = links.point->link_verdict(pod_class, mode, node);
    if (code != ReasonCode::None) reasons.push_back({code, links.plugin, ResourceId(), 0});
  }
  return reasons;
}

PodExplanation explain_pod(Session& session, PodId pod) {
  GangId gang = session.cluster().pods()[pod].gang;
  PodClassId pod_class = session.cluster().pods()[pod].pod_class;
  PodExplanation explanation;
  if (has_finished(session.snapshot().pod(pod).status)) return explanation;
  std::vector<Bound> bounds = bounds_of(session, pod);
  for (const Bound& bound : bounds) {
    if (bound.domains.size() == 1) explanation.bound = {bound.topology, bound.domains.front()};
  }
  for (NodeId node : session.snapshot().all_nodes().node_order()) {
    NodeJudgement judgement = has_node(session, pod, node)
                                  ? judge_own_node(session, pod, node)
                                  : judge_node(session, pod, FitMode::Now, node);
    bool is_outside = std::any_of(bounds.begin(), bounds.end(), [&](const Bound& bound) {
      return outside(session, bound, node);
    });
    if (is_outside) {
      judgement.reasons.push_back({ReasonCode::OutsideDomain, "topology", ResourceId(), 0});
      judgement.fits = false;
    }
    explanation.nodes.push_back(std::move(judgement));
  }
  add_link_scores(session, pod_class, explanation.nodes);
  explanation.gang = explain_gang(session, gang);
  std::erase_if(explanation.gang.domains, [](const DomainJudgement& judgement) {
    return !judgement.domain.topology.valid();
  });
  return explanation;
}

PodExplanation explain_pod(Scheduler& scheduler, PodId pod) {
  return explain_pod(scheduler.reopen_without(scheduler.cluster().pods()[pod].gang), pod);
}

}  // namespace trellis
