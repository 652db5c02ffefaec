#include "session/session.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "session/node_gpus.h"
#include "session/placement/gang_placement.h"

namespace trellis {
namespace {

GangStatus status_of(const Gang& gang, std::span<const PodId> pods, const CycleRecord& record) {
  int64_t bound = 0, running = 0, pipelined = 0, evicted = 0, releasing = 0, succeeded = 0;
  for (PodId pod : pods) {
    const PodOutcome& outcome = record.pods[pod];
    switch (outcome.status) {
      case PodStatus::Bound:
        ++bound;
        break;
      case PodStatus::Running:
        ++running;
        break;
      case PodStatus::Pipelined:
        ++pipelined;
        break;
      case PodStatus::Evicted:
        ++evicted;
        break;
      case PodStatus::Releasing:
        ++releasing;
        break;
      case PodStatus::Succeeded:
        ++succeeded;
        break;
      case PodStatus::Pending:
      case PodStatus::Failed:
        break;
    }
  }
  if (bound + running + pipelined + succeeded >= gang.min_member) {
    if (pipelined > 0) return GangStatus::Pipelined;
    return bound > 0 ? GangStatus::Scheduled : GangStatus::Running;
  }
  if (evicted > 0) return GangStatus::Evicted;
  bool all_leave = releasing > 0 && releasing == static_cast<int64_t>(pods.size());
  return all_leave ? GangStatus::Releasing : GangStatus::Pending;
}

}  // namespace

bool Session::gang_before(GangId a, GangId b) const {
  for (const auto& order : hooks_.gang_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  const Gang& x = cluster_.gangs()[a];
  const Gang& y = cluster_.gangs()[b];
  if (x.created != y.created) return x.created < y.created;
  if (x.name_space != y.name_space) {
    const StringTable& strings = cluster_.vocabulary().strings;
    return strings.view(x.name_space) < strings.view(y.name_space);
  }
  return x.name < y.name;
}

bool Session::pod_before(PodId a, PodId b) const {
  for (const auto& order : hooks_.pod_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  const Pod& x = cluster_.pods()[a].pod;
  const Pod& y = cluster_.pods()[b].pod;
  // Shorter first, so that w-2 stands before w-10.
  return std::tuple(x.completion_index, x.created, x.name.size(), std::string_view(x.name)) <
         std::tuple(y.completion_index, y.created, y.name.size(), std::string_view(y.name));
}

std::vector<PodId> Session::waiting_pods(GangId gang) const {
  std::vector<PodId> waiting;
  for (PodId pod : cluster_.pods_of(gang)) {
    if (snapshot_.pod(pod).status != PodStatus::Pending) continue;
    if (snapshot_.key(pod).hold == PodHold::None) waiting.push_back(pod);
  }
  auto before = [&](PodId a, PodId b) { return pod_before(a, b); };
  // Generated pods mostly come in order.
  if (!std::is_sorted(waiting.begin(), waiting.end(), before)) {
    std::sort(waiting.begin(), waiting.end(), before);
  }
  return waiting;
}

std::vector<NodeId> Session::placed_nodes(GangId gang) const {
  std::vector<NodeId> nodes;
  for (PodId pod : cluster_.pods_of(gang)) {
    PodState state = snapshot_.pod(pod);
    if (stays(state.status) && state.node.valid()) nodes.push_back(state.node);
  }
  return nodes;
}

void Session::commit(std::string_view action) {
  for (const Decision& decision : statement_.commit()) decisions_.push_back({decision, action});
}

void Session::set_reasons(GangId gang, std::vector<Reason> reasons) {
  if (!reasons_.contains(gang)) reasons_.resize(cluster_.gangs().size());
  reasons_[gang] = std::move(reasons);
}

CycleRecord Session::record() const {
  CycleRecord record;
  record.now = now_;
  record.pods.resize(cluster_.pods().size());
  for (uint32_t i = 0; i < cluster_.pods().size(); ++i) {
    PodId pod(i);
    if (!cluster_.alive(pod)) continue;
    PodState state = snapshot_.pod(pod);
    PodOutcome& outcome = record.pods[pod];
    outcome.status = state.status;
    outcome.node = state.node;
    if (state.node.valid()) outcome.gpus = snapshot_.grant(pod);
  }
  for (const ActionDecision& decided : decisions_) {
    PodOutcome& outcome = record.pods[decided.decision.pod];
    outcome.action = decided.action;
    if (decided.decision.kind != Decision::Kind::Evict) continue;
    outcome.evicted = outcome.status == PodStatus::Pipelined;
    record.evictions.push_back({decided.decision.pod, decided.decision.by, decided.action});
  }
  record.gangs.resize(cluster_.gangs().size());
  for (uint32_t i = 0; i < cluster_.gangs().size(); ++i) {
    GangId gang(i);
    if (!cluster_.alive(gang)) continue;
    GangOutcome& outcome = record.gangs[gang];
    outcome.status = status_of(cluster_.gangs()[gang], cluster_.pods_of(gang), record);
    outcome.placement = gang_placement(cluster_, snapshot_, gang);
    if (reasons_.contains(gang)) outcome.reasons = reasons_[gang];
  }
  record.nodes = count_node_gpus(cluster_, snapshot_);
  return record;
}

}  // namespace trellis
