#include "server/view/cycle_tally.h"

#include <algorithm>

#include "framework/pod.h"
#include "server/view/gang_summary.h"
#include "server/view/waiting.h"
#include "session/record/touched.h"

namespace trellis {

CycleTally::GangPart CycleTally::count(const Cluster& cluster, const CycleRecord& record,
                                       GangId gang) {
  GangPart part;
  if (!cluster.alive(gang)) return part;
  const GangOutcome& outcome = record.gangs[gang];
  if (outcome.status == GangStatus::Finished) return part;
  if (!outcome.reasons.empty()) part.reason = outcome.reasons.front().code;
  for (PodId pod : cluster.pods_of(gang)) {
    PodStatus status = record.pods[pod].status;
    part.pods += has_finished(status) ? 0 : 1;
    part.pods_placed += is_placed(status) ? 1 : 0;
  }
  part.gangs = 1;
  part.gangs_placed = is_placed(outcome.status) ? 1 : 0;
  if (!outcome.placement) return part;
  part.has_domain = true;
  part.domain =
      domains_.try_emplace({outcome.placement->topology, outcome.placement->domain}).first;
  return part;
}

void CycleTally::add(const GangPart& part, int sign) {
  sums_.gangs += sign * part.gangs;
  sums_.gangs_placed += sign * part.gangs_placed;
  sums_.pods += sign * part.pods;
  sums_.pods_placed += sign * part.pods_placed;
  if (part.reason != ReasonCode::None) {
    gangs_waiting_ += sign;
    waiting_[part.reason] += sign;
  }
  if (!part.has_domain) return;
  part.domain->second += sign;
  if (part.domain->second == 0) domains_.erase(part.domain);
}

void CycleTally::add(const NodePart& part, int sign) {
  sums_.nodes += sign * part.nodes;
  sums_.gpus += sign * part.gpus;
  sums_.gpus_used += sign * part.gpus_used;
  sums_.gpus_closed += sign * part.gpus_closed;
}

void CycleTally::take_gang(const Cluster& cluster, const CycleRecord& record, GangId gang) {
  GangPart part = count(cluster, record, gang);
  add(part, 1);  // before the old part is subtracted, so that a domain that both have stays
  add(gangs_[gang], -1);
  gangs_[gang] = part;
}

void CycleTally::take_node(const Cluster& cluster, const CycleRecord& record, NodeId node) {
  NodePart part;
  if (cluster.alive(node)) {
    int64_t gpus = whole_gpus(cluster.nodes()[node]);
    int64_t idle = std::min(gpus, record.nodes[node].idle);
    part.nodes = 1;
    part.gpus = gpus;
    part.gpus_used = gpus - idle;
    part.gpus_closed = is_closed(cluster.nodes()[node]) ? idle : 0;
  }
  add(nodes_[node], -1);
  add(part, 1);
  nodes_[node] = part;
}

void CycleTally::take(const Cluster& cluster, const CycleRecord& record, const Touched& touched) {
  if (touched.everything) *this = CycleTally();
  gangs_.resize(std::max(gangs_.size(), record.gangs.size()));
  nodes_.resize(std::max(nodes_.size(), record.nodes.size()));
  for (GangId gang : touched_gangs(record, touched)) take_gang(cluster, record, gang);
  for (NodeId node : touched_nodes(record, touched)) take_node(cluster, record, node);
  workloads_waiting_ = count_waiting_workloads(cluster, record);
  sums_.pods_evicted = std::ranges::count(record.decisions, Decision::Kind::Evict, &Decision::kind);
}

void CycleTally::take(const Cluster& cluster, const CycleRecord& record) {
  take(cluster, record, record.touched);
}

void CycleTally::take_whole(const Cluster& cluster, const CycleRecord& record) {
  take(cluster, record, Touched());
}

CycleSummary CycleTally::summary() const {
  CycleSummary summary = sums_;
  summary.domains = static_cast<int64_t>(domains_.size());
  return summary;
}

CycleSummary summarize(const Cluster& cluster, const CycleRecord& record) {
  CycleTally tally;
  tally.take_whole(cluster, record);
  return tally.summary();
}

}  // namespace trellis
