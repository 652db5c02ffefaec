// Places for one unit of a workload, best first.
//
// The first is Kueue's own answer, if the profile is Kueue's or the answer keeps to the request,
// unless another place has fewer domains on some level and more on none; the other places are for a
// search that comes back.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/leaf_columns.h"
#include "session/placement/placement_context.h"
#include "session/placement/workload_unit.h"
#include "topology/kueue_placement.h"

namespace trellis {

struct LeafCounts {
  DomainId leaf;
  int32_t workers = 0;
  int32_t leaders = 0;
};

struct UnitPlace {
  std::vector<LeafCounts> leaves;  // in order of id, which is that of their paths
  std::vector<SlotFill> workers;   // nodes
  std::vector<SlotFill> leaders;
  std::vector<int32_t> domains;  // used, by level
};

class UnitChoices {
 public:
  explicit UnitChoices(PlacementContext& context) : context_(context) {}

  // At most `most` places, best first; none: it fits nowhere. `within`: only inside this domain;
  // kNone: anywhere. The statement is left as it is.
  std::vector<UnitPlace> find(const WorkloadUnit& unit, FitMode mode, size_t most,
                              DomainId within = {});

  // Kueue's own answer alone, where it keeps to the request.
  std::optional<UnitPlace> find_kueues(const WorkloadUnit& unit, FitMode mode);

 private:
  bool is_kueue() const;
  bool gate(const char* name, bool otherwise) const;
  bool has_room(const WorkloadUnit& unit, FitMode mode) const;
  bool follows_request(const WorkloadUnit& unit) const;
  bool kueue_place(const WorkloadUnit& unit, FitMode mode, UnitPlace& place);
  void add_leader(DomainId leaf, UnitPlace& place) const;
  bool spread_over_nodes(const WorkloadUnit& unit, FitMode mode, UnitPlace& place);
  bool is_optimal(const WorkloadUnit& unit, FitMode mode, const UnitPlace& place);
  TopologyConstraint constraint(const WorkloadUnit& unit) const;
  void own_places(const WorkloadUnit& unit, FitMode mode, size_t most,
                  std::vector<UnitPlace>& places);
  bool fill_group(const WorkloadUnit& unit, const NodeGroup& group, FitMode mode, UnitPlace& place);
  bool place_leader(const WorkloadUnit& unit, const NodeGroup& group, FitMode mode,
                    UnitPlace& place);
  void leaves_of_nodes(const WorkloadUnit& unit, UnitPlace& place) const;
  void count_domains(const TopologyTree& tree, UnitPlace& place) const;

  PlacementContext& context_;
  KueuePlacer placer_;
  LeafColumns columns_;
  std::optional<DomainCounts> sums_;
  std::unique_ptr<NodeGroups> groups_;
  DomainId within_;  // only leaves below it
};

// Whether a uses no more domains than b on any level.
bool no_worse(const UnitPlace& a, const UnitPlace& b);

}  // namespace trellis
