#include "actions/defragmentation/move_sets.h"

#include <algorithm>

#include "framework/sort_unique.h"
#include "session/cycle/gang_step.h"

namespace trellis {

void MoveSets::make_leave(const Gangs& gangs) {
  for (const MovableGang* gang : gangs) {
    for (PodId pod : gang->pods) session_.statement().evict(pod, GangId());
  }
}

int64_t MoveSets::bound(const Gangs& gangs) {
  int64_t before = gauge_.worth();
  Statement::Checkpoint start = session_.statement().checkpoint();
  make_leave(gangs);
  int64_t gain = gauge_.worth() - before;
  session_.statement().rollback(start);
  return gain;
}

// A gang of several pods may keep some of them where they are: first anywhere, then off one node
// after the other. Then off all its nodes, and off the places that were tried.
MoveSets::Nodes MoveSets::nodes_off(const MovableGang& gang, const Nodes& off,
                                    const Turn& turn) const {
  Nodes held = off;
  size_t partly =
      gang.pods.size() > 1 && gang.nodes.size() < kMostTries / 2 ? gang.nodes.size() + 1 : 0;
  if (turn.tries >= partly) {
    held.insert(held.end(), gang.nodes.begin(), gang.nodes.end());
    held.insert(held.end(), turn.taken.begin(), turn.taken.end());
  } else if (turn.tries > 0) {
    held.push_back(gang.nodes[turn.tries - 1]);
  }
  sort_unique(held);
  return held;
}

// False: the gang has no further place.
bool MoveSets::place_next(const MovableGang& gang, const Nodes& off, Turn& turn) {
  session_.statement().rollback(turn.start);
  if (turn.tries == kMostTries) return false;
  ++trials_;
  Nodes held = nodes_off(gang, off, turn);
  ++turn.tries;
  session_.statement().hold_back(held);
  search_.set_work(session_.search_work(gang.gang));
  bool placed = search_.place_again(gang.gang, gang.pods) == SearchResult::Placed;
  session_.statement().release(held);
  if (!placed || may_keep(session_, gang.gang).code != ReasonCode::None) return false;
  for (PodId pod : gang.pods) {
    NodeId node = session_.snapshot().pod(pod).node;
    if (!std::ranges::binary_search(gang.nodes, node)) turn.taken.push_back(node);
  }
  return true;
}

std::optional<PlacedSet> MoveSets::search(const Gangs& gangs, const Nodes& off,
                                          const Wanted& wanted) {
  int64_t before = gauge_.worth();
  Statement::Checkpoint start = session_.statement().checkpoint();
  make_leave(gangs);
  Gangs order = gangs;
  std::ranges::stable_sort(order, std::ranges::greater(), &MovableGang::gpu_milli);
  std::optional<PlacedSet> best;
  std::vector<Turn> turns(1, Turn{session_.statement().checkpoint(), 0, {}});
  int64_t most = trials_ + kMostOfSearch;
  while (!turns.empty() && trials_ < most) {
    if (!place_next(*order[turns.size() - 1], off, turns.back())) {
      turns.pop_back();
      continue;
    }
    // What the gangs without a place would take leaves no more gain than this.
    int64_t gain = gauge_.worth() - before;
    if (!wanted(gain) || (best && gain <= best->gain)) continue;
    if (turns.size() < order.size()) {
      turns.push_back({session_.statement().checkpoint(), 0, {}});
      continue;
    }
    best = read_set(order);
    best->gain = gain;
  }
  session_.statement().rollback(start);
  return best;
}

PlacedSet MoveSets::read_set(const Gangs& gangs) const {
  PlacedSet set;
  for (const MovableGang* gang : gangs) {
    GangMove& move = set.moves.emplace_back();
    move.gang = gang;
    set.moved_milli += gang->gpu_milli;
    for (PodId pod : gang->pods) {
      NodeId from = session_.cluster().find_node(session_.cluster().pods()[pod].pod.node);
      move.pods.push_back({pod, from, session_.snapshot().pod(pod).node});
    }
  }
  return set;
}

MoveSets::Nodes MoveSets::nodes_to_keep(const Gangs& gangs) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  make_leave(gangs);
  gauge_.worth();
  Nodes nodes;
  for (size_t level = 0; level < gauge_.level_count(); ++level) {
    const TopologyTree& tree = session_.snapshot().tree(gauge_.topology_of(level));
    std::span<const NodeId> inside = tree.nodes(gauge_.best_domain(level));
    if (inside.size() > kMostHeld || inside.size() == tree.node_order().size()) continue;
    nodes.insert(nodes.end(), inside.begin(), inside.end());
  }
  session_.statement().rollback(start);
  sort_unique(nodes);
  return nodes;
}

MoveSets::Nodes MoveSets::nodes_around(const Gangs& gangs, size_t level) const {
  const TopologyTree& tree = session_.snapshot().tree(gauge_.topology_of(level));
  std::vector<DomainId> domains;
  for (const MovableGang* gang : gangs) {
    for (NodeId node : gang->nodes) {
      if (!tree.contains(node)) continue;
      DomainId domain = tree.ancestor(tree.domain_of(node), gauge_.depth_of(level));
      if (domain.valid()) domains.push_back(domain);
    }
  }
  std::ranges::sort(domains);
  domains.erase(std::unique(domains.begin(), domains.end()), domains.end());
  Nodes nodes;
  for (DomainId domain : domains) {
    std::span<const NodeId> inside = tree.nodes(domain);
    if (nodes.size() + inside.size() > kMostHeld) return {};
    nodes.insert(nodes.end(), inside.begin(), inside.end());
  }
  sort_unique(nodes);
  return nodes.size() < tree.node_order().size() ? nodes : Nodes();
}

bool MoveSets::put(const PodMove& move) {
  PodClassId pod_class = session_.snapshot().key(move.pod).pod_class;
  bool fits = session_.fits().fit_now(pod_class, FitMode::Future, move.to) > 0 &&
              session_.fits().link_verdict(pod_class, FitMode::Future, move.to).passes();
  return fits && session_.statement().place(move.pod, move.to, FitMode::Future);
}

bool MoveSets::carry_out(std::span<const GangMove> moves) {
  Statement::Checkpoint start = session_.statement().checkpoint();
  for (const GangMove& move : moves) {
    for (const PodMove& pod : move.pods) session_.statement().evict(pod.pod, GangId());
  }
  bool placed = std::ranges::all_of(moves, [&](const GangMove& move) {
    return std::ranges::all_of(move.pods, [&](const PodMove& pod) { return put(pod); }) &&
           may_keep(session_, move.gang->gang).code == ReasonCode::None;
  });
  if (!placed) session_.statement().rollback(start);
  return placed;
}

}  // namespace trellis
