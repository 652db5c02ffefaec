// The explanation of one demand, of a gang or of a workload in one flavor: every domain that could
// take it, with counts.
//
// It is computed on the cluster as the last cycle left it, without the decisions of that cycle
// about the demand. A gang whose pods differ in size is judged by the pods that fit least often;
// whether all of them fit together is then proved by placing them, in a statement that is rolled
// back. A workload with a leader is judged by its workers.
// Cost: a pass over the nodes for each pod class and resource, one over the candidate domains. What
// would help (remedy.h) costs a pass over the domain's nodes, and is computed only on request.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "session/explain/demand_part.h"
#include "session/explain/domain_ref.h"

namespace trellis {

struct Shortage {
  ResourceId resource;
  int64_t by = 0;  // in the resource's unit
  bool operator==(const Shortage&) const = default;
};

// Whole segments of the coarsest layer.
struct SegmentFit {
  int32_t size = 0;
  int64_t takes = 0;   // segments that the domain has room for
  int64_t needed = 0;  // the last, smaller one included
};

struct DomainJudgement {
  uint32_t part = 0;  // of DemandExplanation::parts
  uint32_t row = 0;   // of the part: the row that the counts are of
  DomainRef domain;
  int64_t allocatable_pods = 0;  // now, of the part's pods that fit least often
  int64_t later_pods = 0;        // the same once leaving pods have left
  int64_t needed = 0;
  int64_t leaders = -1;         // pods of the leader that it takes, without others; -1: no leader
  uint32_t first_shortage = 0;  // of DemandExplanation::shortages
  uint32_t shortages = 0;
  uint32_t segments = kNoSegments;  // index in DemandExplanation::segments
  bool fits = false;
  bool proved = true;  // false: by count alone

  static constexpr uint32_t kNoSegments = UINT32_MAX;
};

// The domain of a level with most nodes.
struct LevelSize {
  TopologyId topology;
  int level = -1;
  int64_t nodes = 0;
};

struct DemandExplanation {
  std::vector<DemandPart> parts;
  // By part; for each part from the preferred (else the deepest) level up to the required one (else
  // the whole topology), by path. Where pods of the part already run: only domains that hold them.
  // A part without a topology constraint: one entry for the cluster.
  std::vector<DomainJudgement> domains;
  std::vector<Shortage> shortages;
  std::vector<SegmentFit> segments;
  std::vector<LevelSize> levels;  // of all judgements

  const DemandPart& part_of(const DomainJudgement& judgement) const {
    return parts[judgement.part];
  }
  // Empty where only refusals keep the pods out.
  std::span<const Shortage> short_of(const DomainJudgement& judgement) const {
    return std::span(shortages).subspan(judgement.first_shortage, judgement.shortages);
  }
  // The most nodes that a domain of the judgement's level has; 0: it is the whole topology, or the
  // cluster.
  int64_t largest_of(const Session& session, const DomainJudgement& judgement) const;
  // Of the part's judgements that do not fit, the one that lacks fewest pods; nullptr: none. A node
  // only where the part is judged by nodes alone.
  const DomainJudgement* nearest_miss(const Session& session, uint32_t part) const;
  bool fits_nowhere(uint32_t part) const;
  // Size 0 where the part has no segments.
  SegmentFit segments_of(const DomainJudgement& judgement) const {
    return judgement.segments < segments.size() ? segments[judgement.segments] : SegmentFit();
  }
};

// REQUIRES: the session has been opened without the gang's decisions.
DemandExplanation explain_gang(Session& session, GangId gang);

}  // namespace trellis
