#include "session/placement/placement_context.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "framework/gang_minimum.h"

namespace trellis {

bool PlacementContext::ranks_before(PodId a, PodId b) const {
  const Pod& x = cluster_.pods()[a].pod;
  const Pod& y = cluster_.pods()[b].pod;
  // Shorter first, so that w-2 comes before w-10.
  return std::tuple(snapshot_.key(a).subgroup, x.completion_index, x.name.size(),
                    std::string_view(x.name)) < std::tuple(snapshot_.key(b).subgroup,
                                                           y.completion_index, y.name.size(),
                                                           std::string_view(y.name));
}

bool PlacementContext::pod_before(PodId a, PodId b) const {
  for (const auto& order : hooks_.pod_orders) {
    if (int verdict = order.point->compare(a, b); verdict != 0) return verdict < 0;
  }
  return ranks_before(a, b);
}

std::vector<PodId> PlacementContext::ranked_pods(GangId gang) const {
  std::vector<PodId> ranked;
  for (PodId pod : cluster_.pods_of(gang)) {
    PodStatus status = snapshot_.pod(pod).status;
    if (status != PodStatus::Failed && status != PodStatus::Releasing) ranked.push_back(pod);
  }
  auto before = [&](PodId a, PodId b) { return ranks_before(a, b); };
  // Generated pods mostly come in order.
  if (!std::is_sorted(ranked.begin(), ranked.end(), before)) {
    std::sort(ranked.begin(), ranked.end(), before);
  }
  return ranked;
}

bool PlacementContext::has_minimum(GangId gang) const {
  return trellis::has_minimum(cluster_.gangs()[gang], snapshot_.gang_counts()[gang],
                              snapshot_.subgroup_counts()[gang]);
}

std::vector<PodId> PlacementContext::waiting_pods(GangId gang) const {
  std::vector<PodId> waiting;
  waiting_pods(gang, waiting);
  return waiting;
}

void PlacementContext::waiting_pods(GangId gang, std::vector<PodId>& waiting) const {
  waiting.clear();
  for (PodId pod : cluster_.pods_of(gang)) {
    if (snapshot_.pod(pod).status != PodStatus::Pending) continue;
    if (snapshot_.key(pod).hold == PodHold::None) waiting.push_back(pod);
  }
  auto before = [&](PodId a, PodId b) { return pod_before(a, b); };
  if (!std::is_sorted(waiting.begin(), waiting.end(), before)) {
    std::sort(waiting.begin(), waiting.end(), before);
  }
}

std::vector<NodeId> PlacementContext::placed_nodes(GangId gang) const {
  std::vector<NodeId> nodes;
  placed_nodes(gang, nodes);
  return nodes;
}

void PlacementContext::placed_nodes(GangId gang, std::vector<NodeId>& nodes) const {
  nodes.clear();
  for (PodId pod : cluster_.pods_of(gang)) {
    PodState state = snapshot_.pod(pod);
    if (will_remain(state.status) && state.node.valid()) nodes.push_back(state.node);
  }
}

const std::vector<GangId>& PlacementContext::gangs_near(StrId word) const {
  if (gangs_near_.empty()) {
    for (GangId gang(0U); gang.value < cluster_.gangs().size(); ++gang.value) {
      StrId near = cluster_.gangs()[gang].near;
      if (cluster_.alive(gang) && near.valid()) gangs_near_[near.value].push_back(gang);
    }
  }
  return gangs_near_[word.value];
}

std::vector<NodeId> PlacementContext::near_nodes(GangId gang) const {
  StrId word = cluster_.gangs()[gang].near;
  if (!word.valid()) return {};
  std::vector<NodeId> nodes;
  for (GangId other : gangs_near(word)) {
    if (other == gang) continue;
    std::vector<NodeId> more = placed_nodes(other);
    nodes.insert(nodes.end(), more.begin(), more.end());
  }
  const auto& all = cluster_.nodes();
  std::sort(nodes.begin(), nodes.end(),
            [&](NodeId a, NodeId b) { return all[a].name < all[b].name; });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
  return nodes;
}

int64_t PlacementContext::search_work(GangId gang) const {
  constexpr int64_t kFewBudgets = 4;
  constexpr size_t kNodeWork = 2;
  constexpr size_t kPodWork = 64;
  // More nodes than this could not all be looked at several times with the default.
  constexpr int64_t kManyNodes = 250'000;
  int64_t most = config_.limits.search_budget;
  auto nodes = static_cast<int64_t>(cluster_.nodes().size());
  if (nodes > kManyNodes) {
    most = add_to_sum(most, saturating_product(most / kManyNodes, nodes - kManyNodes));
  }
  int64_t halvings = std::min<int64_t>(exhausted_work_ / most / kFewBudgets, 62);
  auto least = static_cast<int64_t>(kNodeWork * static_cast<size_t>(nodes) +
                                    kPodWork * cluster_.pods_of(gang).size());
  return std::max(most >> halvings, std::min(most, least));
}

}  // namespace trellis
