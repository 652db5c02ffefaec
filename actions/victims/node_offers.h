// The cost of room for one pod of a class on each node, kept while gangs are served under the same
// rules: a decision changes only a few nodes.
//
// Guarantees: best() returns what a new computation for every node would return. Of very many nodes
// that have an offer, the first in order of name are compared.
// Cost: the first query O(pods on the nodes), later ones O(nodes) comparisons.
#pragma once

#include <cstdint>
#include <vector>

#include "actions/victims/node_victims.h"

namespace trellis {

class NodeOffers {
 public:
  explicit NodeOffers(PodClassId pod_class) : pod_class_(pod_class) {}

  struct Offer {
    VictimCost cost;
    uint32_t position = 0;  // of the node, by name
    auto operator<=>(const Offer&) const = default;
  };
  // Up to `most` offers, the cheapest first. `nodes_left`: how many nodes may still be computed;
  // counted down.
  std::vector<Offer> best(const PlacementContext& context, NodeVictimFinder& finder, size_t most,
                          int64_t& nodes_left);
  // The victims on the node may be others than before.
  void forget(NodeId node) {
    if (entries_.contains(node)) entries_[node].known = false;
  }

 private:
  struct Entry {
    bool known = false;
    bool possible = false;
    VictimCost cost;
  };
  void follow_changes(const PlacementContext& context);

  PodClassId pod_class_;
  uint64_t read_to_ = 0;
  IndexedVector<NodeId, Entry> entries_;
};

}  // namespace trellis
