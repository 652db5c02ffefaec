// A cache of the counts of the nodes' verdicts on a pod class: many waiting gangs need the same.
//
// Guarantees: a result holds for the snapshot as it is at the call.
// Cost: the first call for a class and domain one pass over the nodes; the same again, while no
// node has changed, a look-up.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "framework/ids.h"
#include "framework/reason.h"

namespace trellis {

class PlacementContext;

class VerdictCounts {
 public:
  // Over all nodes, on the cluster as it will be once leaving pods have left; nodes outside
  // `domain` that would fit count as OutsideDomain (a kNone topology: no node is outside). Most
  // nodes first, then by code and resource's name.
  const std::vector<VerdictCount>& of(PlacementContext& context, PodClassId pod_class,
                                      TopologyId topology, DomainId domain);

  int64_t passes() const { return passes_; }  // over the nodes, so far

 private:
  using Key = std::tuple<PodClassId, TopologyId, DomainId>;

  std::map<Key, std::vector<VerdictCount>> kept_;
  uint64_t read_to_ = 0;  // position in the change log
  int64_t passes_ = 0;
};

}  // namespace trellis
