// Kueue's own answer for one unit of a workload: the domains that its Topology Aware Scheduling
// gives (topology/kueue_placement.h), and the nodes in them.
//
// Cost: what the placement looks at, and the nodes of domains that have several.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

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
};

class KueueAnswers {
 public:
  explicit KueueAnswers(PlacementContext& context) : context_(context) {}

  // nullopt: Kueue has none, or (profile `trellis`) it does not keep to the request: pods of a
  // partial segment are dropped, terms between pods ignored, nodes overfull. `within`: only inside
  // this domain; kNone: anywhere. The statement is left as it is.
  std::optional<UnitPlace> find(const WorkloadUnit& unit, FitMode mode, DomainId within);

 private:
  bool is_kueue() const;
  bool gate(const char* name, bool otherwise) const;
  bool follows_request(const WorkloadUnit& unit) const;
  bool stands_together(const UnitPlace& place, FitMode mode);
  bool place(const WorkloadUnit& unit, FitMode mode, DomainId within, UnitPlace& place);
  void add_leader(DomainId leaf, UnitPlace& place) const;
  bool spread_over_nodes(const WorkloadUnit& unit, FitMode mode, UnitPlace& place);

  PlacementContext& context_;
  KueuePlacer placer_;
  LeafColumns columns_;
  std::optional<DomainCounts> sums_;
};

}  // namespace trellis
