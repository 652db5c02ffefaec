// Victims inside a scope that make room for a number of equal pods, gathered node by node, the
// cheapest for what it gains first.
//
// Guarantees: the same result for the same input; not always the fewest gangs where gangs span
// nodes.
// Cost: O(pods in the scope) for the first pass, then O(log nodes + pods that leave) a step.
#pragma once

#include <cstdint>
#include <queue>
#include <span>
#include <vector>

#include "actions/victims/node_victims.h"
#include "topology/tree.h"

namespace trellis {

// Nodes in which room is to be made: those of a domain, all of them, or a single one.
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

class ScopeVictims {
 public:
  ScopeVictims(PlacementContext& context, VictimPool& pool, VictimSet& set)
      : context_(context), set_(set), finder_(context, pool, set) {}

  // True: the set and the statement hold the victims. False: the caller undoes what they hold.
  // `nodes_left`: how many nodes may still be examined; counted down.
  bool gather(const RowPods& row, const Scope& scope, int64_t& nodes_left);

 private:
  static constexpr uint32_t kMostNodes = 4096;

  struct Offer {
    VictimCost cost;
    int64_t gain = 1;  // pods
    uint32_t position = 0;
    uint32_t version = 0;
  };
  struct Worse {
    bool operator()(const Offer& a, const Offer& b) const;
  };

  void look_at(uint32_t position);
  int64_t gain_of(const NodeVictims& victims, NodeId offered);
  int64_t recount(NodeId node);
  bool take(const Offer& offer);

  PlacementContext& context_;
  VictimSet& set_;
  NodeVictimFinder finder_;
  PodClassId pod_class_;
  Scope scope_;
  int64_t wanted_ = 0;
  int64_t room_ = 0;
  std::vector<int32_t> fits_;       // by position in the scope
  std::vector<uint32_t> versions_;  // grows when the node changes
  std::priority_queue<Offer, std::vector<Offer>, Worse> offers_;
};

}  // namespace trellis
