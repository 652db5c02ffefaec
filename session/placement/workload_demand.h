// A workload as a demand: its units as units of the one search, with reserved pods.
//
// The pods of a workload come later: reserved ids (Statement::reserve) stand for them, unit after
// unit, in each the workers before the leader.
// Cost: O(pods).
#pragma once

#include <span>
#include <vector>

#include "framework/plugin.h"
#include "session/placement/placement_context.h"
#include "session/placement/placement_unit.h"
#include "session/placement/workload_unit.h"

namespace trellis {

class WorkloadDemand {
 public:
  // Reserves pods for the units, which must outlive it. `within`: only inside this domain of their
  // topology; kNone: anywhere in the topology.
  WorkloadDemand(PlacementContext& context, std::span<const WorkloadUnit> units, DomainId within);

  // False: there are more pods than ids.
  bool reserved() const { return first_.valid(); }
  std::vector<const RowPods*> rows() const;
  std::vector<PlacementUnit> make_units(SegmentForm form) const;

  // The pods of a unit; empty: it has no leader.
  const RowPods& workers(size_t index) const { return rows_[2 * index]; }
  const RowPods& leader(size_t index) const { return rows_[2 * index + 1]; }

 private:
  PlacementUnit make_whole() const;
  PlacementUnit make_unit(size_t index) const;
  void add_segments(size_t index, SegmentForm form, std::vector<PlacementUnit>& units) const;

  PlacementContext& context_;
  std::span<const WorkloadUnit> units_;
  DomainId within_;
  PodId first_;
  std::vector<RowPods> rows_;  // of each unit its workers, then its leader
};

}  // namespace trellis
