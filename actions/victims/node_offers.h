// What room for one pod of a class costs on each node, kept while gangs are served under the same
// rules: what one decision changes is a few nodes.
//
// Guarantees: best() is what a fresh look at every node would give. Of very many nodes that offer
// something the first in order of name are compared.
// Cost: the first question O(pods on the nodes), later ones O(nodes) comparisons.
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
  // Up to `most` offers, the cheapest first. `nodes_left`: nodes that may be looked at; counted
  // down.
  std::vector<Offer> best(const PlacementContext& context, NodeVictimFinder& finder, size_t most,
                          int64_t& nodes_left);
  // The node's pods may leave otherwise than before.
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
