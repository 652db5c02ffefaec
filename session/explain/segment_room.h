// How many whole segments of a gang each domain of a topology takes.
//
// A segment needs a domain of its layer's required (else preferred) level to itself; the segments
// of a finer layer are cut inside it. Nodes that lack the level take none.
// Cost: one pass over the domains when made, O(1) a question.
#pragma once

#include <cstdint>
#include <vector>

#include "session/explain/demand_explanation.h"

namespace trellis {

class SegmentRoom {
 public:
  // `pods`: of the part's first row, that each domain takes. REQUIRES: the part has segments.
  SegmentRoom(const Session& session, TopologyId topology, const DemandPart& part,
              const DomainCounts& pods);

  SegmentFit in(DomainId domain) const;
  // Whether all segments fit, the last, smaller one included; a layer that only prefers a level
  // binds none.
  bool holds(DomainId domain) const;

 private:
  void cut(const TopologyTree& tree, const DomainCounts& pods, const std::vector<int>& levels,
           const std::vector<SegmentLayer>& layers);

  int64_t pods_ = 0;
  int64_t size_ = 1;                        // of the coarsest layer
  bool binding_ = false;                    // its level is required
  IndexedVector<DomainId, int64_t> whole_;  // pods in whole segments
  IndexedVector<DomainId, int64_t> rest_;   // most pods left over in one domain of its level
};

}  // namespace trellis
