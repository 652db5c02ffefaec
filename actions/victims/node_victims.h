// The victims on one node that make room there for one more pod of a class.
//
// Guarantees: the result depends only on the node, the gangs on it and the pool; where one gang
// suffices, it is the gang that is preferred as a victim.
// Cost: O(p log p) for p pods on the node, more where devices are shared or a plugin counts pods of
// the class.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actions/victims/victim_set.h"

namespace trellis {

struct NodeVictims {
  std::vector<VictimUnit> units;
  VictimCost cost;
};

class NodeVictimFinder {
 public:
  NodeVictimFinder(PlacementContext& context, VictimPool& pool, VictimSet& set)
      : context_(context), pool_(pool), set_(set) {}

  // nullopt: no pods that may be moved make room.
  std::optional<NodeVictims> find(PodClassId pod_class, NodeId node);

 private:
  // Pods of a gang, or of one leaf of it, on the node.
  struct Group {
    GangId gang;
    int32_t subgroup = -1;
    std::vector<PodId> pods;
    int64_t singles = 0;  // how many may leave one by one
    bool whole = false;   // all of them (and the rest of their gang or leaf) may leave
    bool core = false;    // `whole` breaks the gang
    bool disrupted = false;
    int64_t taken = 0;  // how many of the pods; all: the whole; changed by take() alone

    int64_t most() const { return whole ? static_cast<int64_t>(pods.size()) : singles; }
  };
  struct Deficit {
    ResourceId resource;
    int64_t amount = 0;
    // Of the pods taken of all groups; not counted by trial. No number of pods saturates it.
    __extension__ __int128 given = 0;
  };

  void gather();
  void judge(Group& group);
  bool read_deficits();
  bool before(const Group& a, const Group& b) const;
  // Whether the pod fits once the taken pods are gone: by amounts those of all groups; by a trial
  // those of `group`, beside what the statement has evicted already.
  bool fits(const Group& group) const;
  bool fits_by_trial(const Group& group) const;
  bool fits_as_it_stands() const;
  void evict_taken(const Group& group) const;
  void take(Group& group, int64_t pods);
  double coverage(const Group& group, int64_t pods) const;
  int64_t amount_of(PodId pod, ResourceId resource) const;
  bool take_least(Group& group);
  bool take_one_group();
  bool take_many();
  void spare(Group& group);
  void spare_by_trial();
  void add_units(const Group& group, std::vector<VictimUnit>& units) const;
  bool may_leave_together(std::span<const VictimUnit> units);

  PlacementContext& context_;
  VictimPool& pool_;
  VictimSet& set_;
  PodClassId pod_class_;
  NodeId node_;
  bool by_trial_ = false;
  std::vector<Group> groups_;
  std::vector<GangId> excluded_;
  std::vector<Deficit> deficits_;
};

// The cost of room for one pod of a class on each node, kept while gangs are served under the same
// rules: a decision changes only a few nodes.
//
// Guarantees: best() returns what a new computation for every node would return. Of very many nodes
// that have an offer, the first in order of name are compared.
// Cost: the first query O(pods on the nodes), later ones O(nodes) comparisons.
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
