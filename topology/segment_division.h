// The division of a gang in segments inside a domain.
//
// Words: a segment is consecutive pods that share a domain of its layer's level; where the size
// does not divide the pods, the *rest* is a last, smaller segment. `whole` are counts in whole
// segments (DomainCounts, third constructor). Cost: a pass over the domains of each layer's level
// inside the domain.
#pragma once

#include <span>
#include <vector>

#include "topology/domain_search.h"

namespace trellis {

struct SegmentDemand {
  DomainQuery query;  // rows[0]: the pods with their plain counts
  const DomainCounts* whole = nullptr;
  std::span<const SegmentLevel> layers;  // coarse to fine
};

// Parts at the finest layer's level (or the domain itself, where it is deeper), in the order in
// which to fill them with consecutive pods: as few as possible on each layer's level, the rest
// last. Empty: the domain does not take the pods in segments.
DomainParts divide_segments(const SegmentDemand& demand, DomainId domain);

}  // namespace trellis
