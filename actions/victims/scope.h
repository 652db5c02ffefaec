// Nodes in which room is to be made: those of a domain, all of them, or a single one.
#pragma once

#include <span>

#include "topology/tree.h"

namespace trellis {

struct Scope {
  const TopologyTree* tree = nullptr;
  IdRange range;  // of its node order

  std::span<const NodeId> nodes() const {
    return tree->node_order().subspan(range.first, range.size());
  }
  bool contains(NodeId node) const {
    if (!tree->contains(node)) return false;
    uint32_t position = tree->position(node);
    return position >= range.first && position < range.last;
  }
};

}  // namespace trellis
