#include "actions/waiting/order_value.h"

#include <algorithm>
#include <tuple>

#include "framework/topology_levels.h"
#include "topology/tree.h"

namespace trellis {
namespace {

// A part of a gang that prefers a level: a subgroup, or (-1) the gang.
struct PreferringPart {
  int32_t part = -1;
  const TopologyTree* tree = nullptr;
  int level = -1;
  std::vector<DomainId> domains = {};
};

std::vector<PreferringPart> preferring_parts(const Session& session, const Gang& gang) {
  const Cluster& cluster = session.cluster();
  const StringTable& strings = cluster.vocabulary().strings;
  std::vector<PreferringPart> parts;
  auto add = [&](int32_t part, const TopologyConstraint& constraint) {
    if (!constraint.preferred.valid()) return;
    TopologyId topology = cluster.find_topology(strings.view(constraint.topology));
    if (!topology.valid()) return;
    int level = resolve_levels(cluster.topologies()[topology], constraint, strings).preferred;
    if (level >= 0) parts.push_back({part, &session.snapshot().trees()[topology], level});
  };
  add(-1, gang.topology);
  for (size_t i = 0; i < gang.subgroups.size(); ++i) {
    add(static_cast<int32_t>(i), gang.subgroups[i].topology);
  }
  return parts;
}

bool is_inside(const Gang& gang, int32_t subgroup, int32_t part) {
  while (subgroup >= 0 && subgroup != part) {
    subgroup = gang.subgroups[static_cast<size_t>(subgroup)].parent;
  }
  return subgroup == part;
}

// What both sides of a square have in common is left out: (free - taken)^2 - free^2.
absl::int128 change_of_square(int64_t free, int64_t taken) {
  return absl::int128(taken) * (absl::int128(taken) - 2 * absl::int128(free));
}

}  // namespace

// Domains of preferred levels, beyond the first of each part of the gang.
int64_t OrderValues::spanned(GangId id, std::span<const Decision> decisions) const {
  const Gang& gang = session_.cluster().gangs()[id];
  int64_t beyond = 0;
  for (PreferringPart& part : preferring_parts(session_, gang)) {
    for (const Decision& decision : decisions) {
      int32_t subgroup = session_.snapshot().key(decision.pod).subgroup;
      if (!is_inside(gang, subgroup, part.part) || !part.tree->contains(decision.node)) continue;
      DomainId domain = part.tree->ancestor(part.tree->domain_of(decision.node), part.level);
      if (domain.valid()) part.domains.push_back(domain);
    }
    std::ranges::sort(part.domains);
    auto again = std::ranges::unique(part.domains);
    beyond += std::max<int64_t>(0, again.begin() - part.domains.begin() - 1);
  }
  return beyond;
}

OrderValue OrderValues::of(std::span<const GangTurn> turns) const {
  OrderValue value;
  const std::vector<Decision>& decisions = session_.statement().decisions();
  const QueueLedger& queues = session_.snapshot().queues();
  for (const Decision& decision : decisions) {
    PodClassId pod_class = session_.snapshot().key(decision.pod).pod_class;
    QueueAmounts amounts = queues.amounts(session_.cluster(), pod_class, decision.node);
    int64_t gpus = amounts[QueueResource::Gpu];
    bool now = decision.kind == Decision::Kind::Bind;
    (now ? value.gpus_now : value.gpus_later) += gpus;
    ++value.pods;
    if (gpus > 0) value.taken.emplace_back(decision.node, gpus);
  }
  for (size_t i = 0; i < turns.size(); ++i) {
    size_t end = i + 1 < turns.size() ? turns[i + 1].start.decisions : decisions.size();
    size_t begin = turns[i].start.decisions;
    value.domains += spanned(turns[i].gang(), std::span(decisions).subspan(begin, end - begin));
  }
  std::sort(value.taken.begin(), value.taken.end());
  size_t kept = 0;
  for (const auto& [node, gpus] : value.taken) {
    if (kept > 0 && value.taken[kept - 1].first == node) {
      value.taken[kept - 1].second += gpus;
    } else {
      value.taken[kept++] = {node, gpus};
    }
  }
  value.taken.resize(kept);
  return value;
}

void OrderValues::measure(const OrderValue& present) {
  measured_ = true;
  const NodeState& state = session_.snapshot().state();
  room_.nodes.resize(session_.cluster().nodes().size());
  for (uint32_t i = 0; i < room_.nodes.size(); ++i) {
    room_.nodes[NodeId(i)] = state.future[kGpu][NodeId(i)] + state.future[kAmdGpu][NodeId(i)];
  }
  for (const auto& [node, gpus] : present.taken) room_.nodes[node] += gpus;
  for (const TopologyTree& tree : session_.snapshot().trees()) {
    IndexedVector<DomainId, int64_t>& sums = room_.domains.emplace_back();
    sums.resize(tree.domain_count());
    for (NodeId node : tree.node_order()) sums[tree.domain_of(node)] += room_.nodes[node];
    for (uint32_t i = 0; i + 1 < sums.size(); ++i)
      sums[tree.parent(DomainId(i))] += sums[DomainId(i)];
  }
}

// The sum of the squares of what is left, less what it was before any turn.
absl::int128 OrderValues::together(const OrderValue& value) const {
  absl::int128 sum = 0;
  for (const auto& [node, gpus] : value.taken) sum += change_of_square(room_.nodes[node], gpus);
  for (size_t i = 0; i < room_.domains.size(); ++i) {
    const TopologyTree& tree = session_.snapshot().trees()[TopologyId(i)];
    std::map<DomainId, int64_t> taken;
    for (const auto& [node, gpus] : value.taken) {
      if (!tree.contains(node)) continue;
      for (DomainId at = tree.domain_of(node); at.valid(); at = tree.parent(at)) taken[at] += gpus;
    }
    for (const auto& [domain, gpus] : taken) {
      sum += change_of_square(room_.domains[i][domain], gpus);
    }
  }
  return sum;
}

bool OrderValues::better(const OrderValue& a, const OrderValue& b, const OrderValue& present) {
  auto key = [](const OrderValue& value) {
    return std::tuple(value.gpus_now, value.gpus_later, value.pods, -value.domains);
  };
  if (key(a) != key(b)) return key(a) > key(b);
  if (session_.config().placement_strategy.domain == Strategy::Spread) return false;
  if (!measured_) measure(present);
  return together(a) > together(b);
}

}  // namespace trellis
