// A gang's pods as units: pods that share a topology constraint, inside the units above them.
//
// Words: a unit is the gang, a subgroup that has a constraint of its own, or a segment. Subgroups
// without a constraint are no units: their pods are pods of the unit above. Parents come before
// their children; unit 0 is the gang.
// Cost: O(pods of the gang) where it has structure or pods with a node, else O(pods to place); the
// tree of units O(units x depth), a look-up in it O(1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "framework/gang.h"
#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/pod_rows.h"

namespace trellis {

struct PlacementUnit {
  int32_t parent = -1;    // index of its unit; -1: none
  int32_t subgroup = -1;  // of the unit; -1: the gang. Of a workload: index of its WorkloadUnit
  TopologyConstraint constraint;
  // The level down to which counts divide the pods; kNone: the level above single nodes, where
  // scores choose the nodes.
  StrId divided_to;
  TopologyId scope_topology;  // of `scope`
  DomainId scope;             // only nodes inside it, whatever is above the unit; kNone: any node
  bool balanced = false;
  std::vector<SegmentLayer> segments;  // not made units of their own: one row, nothing placed
  std::vector<RowPods> rows;           // pods of this unit and of none below it
  std::vector<NodeId> placed;          // nodes of the pods in it and below that have one
  std::vector<NodeId> near;            // of the first unit: nodes of gangs to be near to
  std::vector<GangRow> later;  // pods like those of `rows` that wait, but not for this place
};

// The pods to place of one leaf: some of its waiting pods, in order.
struct LeafPods {
  int32_t subgroup = -1;
  std::vector<RowPods> rows;
};

enum class SegmentForm : uint8_t {
  Counted,  // segments stay with their unit where its pods are equal and none is placed
  Units,    // each segment is a unit
};

// Whether a unit is `above` or is somewhere below it.
bool is_below(std::span<const PlacementUnit> units, size_t unit, size_t above);

std::vector<PlacementUnit> make_units(const PlacementContext& context, GangId gang,
                                      std::span<const LeafPods> leaves, SegmentForm form);

// The units of the segments of a unit's pods, layer below layer. A unit is made when the first pod
// of its segment is to be placed.
class SegmentUnits {
 public:
  // `units` and `layers` must outlive it.
  SegmentUnits(std::vector<PlacementUnit>& units, int32_t base,
               std::span<const SegmentLayer> layers);

  // Adds a pod to its innermost segment. `position`: its rank among all pods of the unit.
  void add(int64_t position, PodClassId pod_class, PodId pod);
  // A pod that has a node: it counts for its segments that have a unit.
  void add_placed(int64_t position, NodeId node);

 private:
  int32_t unit_of(size_t layer, int64_t segment, int32_t parent);

  std::vector<PlacementUnit>& units_;
  int32_t base_;
  std::span<const SegmentLayer> layers_;
  std::map<std::pair<size_t, int64_t>, int32_t> known_;  // by layer and segment
};

int64_t pods_of(std::span<const RowPods> rows);

// Adds the row's pods to the row of their class.
void add_row(RowPods row, std::vector<RowPods>& rows);
void add_to_rows(PodClassId pod_class, int64_t pods, std::vector<GangRow>& rows);

// The required level of a unit in its topology.
struct UnitLevel {
  TopologyId topology;
  int required = -1;
};

// How small the domains are that a unit's pods are bound to, by it or by those above it, and how
// many of the pods are bound to the same domain.
struct UnitBinding {
  int depth = -1;
  int64_t pods = 0;
};

// The units of a gang as a tree: what is inside each, and how closely each is bound.
class UnitTree {
 public:
  UnitTree() = default;
  // `units` must outlive it.
  UnitTree(const PlacementContext& context, std::span<const PlacementUnit> units);

  UnitLevel level(size_t unit) const { return levels_[unit]; }
  const UnitBinding& binding(size_t unit) const { return bindings_[unit]; }
  // The unit itself and those below it, in order.
  std::span<const uint32_t> inside(size_t unit) const {
    uint32_t first = first_inside_[unit];
    return std::span(inside_).subspan(first, first_inside_[unit + 1] - first);
  }
  // The turn of each unit; O(units). If the units of `first` go before all others, the last of them
  // first of all, 0 is for a unit that goes first, alone or with one above it.
  std::vector<size_t> turns(std::span<const size_t> first) const;

  size_t size() const { return inside_.size(); }  // of all that is inside units

 private:
  UnitBinding binding_of(const PlacementContext& context, size_t unit) const;
  void list_inside();

  std::span<const PlacementUnit> units_;
  std::vector<UnitLevel> levels_;
  std::vector<UnitBinding> bindings_;
  std::vector<uint32_t> inside_;        // of one unit after the other
  std::vector<uint32_t> first_inside_;  // by unit, and one more
};

}  // namespace trellis
