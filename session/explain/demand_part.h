// The request of a demand to a domain, part by part: pods that must be placed together, and at
// which level.
//
// Words: a part is a gang as a whole, one of its subgroups, or a unit of a workload in one flavor.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/gang.h"
#include "framework/ids.h"
#include "framework/topology.h"
#include "session/cycle/session.h"

namespace trellis {

struct AskedRow {
  PodClassId pod_class;
  int64_t pods = 0;
  std::vector<PodId> waiting;  // the pods, in the order to place them; none when only described
};

struct DemandPart {
  StrId subgroup;                      // kNone: the whole gang
  TopologyConstraint topology;         // its own, else that of the nearest part above it
  std::vector<AskedRow> rows;          // what must be placed together; never empty
  std::vector<SegmentLayer> segments;  // coarse to fine
  std::vector<NodeId> placed;          // nodes of its pods that have one and stay
  bool by_count = false;               // has an inner structure that counts ignore
  bool one_more = false;               // has its minimum: the row is one pod more
  bool led = false;                    // the second row is a leader: counts are of the first
  FitMode mode = FitMode::Now;         // Future: judged as if all leaving pods had left
  StrId finest;  // the lowest level that is judged; kNone: the preferred one, else the deepest

  int64_t pods() const;  // of all rows
};

// The topology of a constraint, with its levels; kNone: it names none, or one that does not exist
// or lacks a level.
struct PartLevels {
  TopologyId topology;
  int required = -1;   // -1: none
  int preferred = -1;  // at or below `required`
};
PartLevels levels_of(const Cluster& cluster, const TopologyConstraint& constraint);

// The gang as one part, unless only its subgroups constrain domains; then each subgroup with a
// topology constraint of its own and each leaf, in their order. Of a gang that has its minimum, the
// part is one more pod. None when the gang has no pods, or all have finished.
std::vector<DemandPart> gang_parts(const Session& session, GangId gang);

// The gang as one part, whatever its structure; without rows when it has no pods, or all have
// finished.
DemandPart whole_gang(const Session& session, GangId gang);

}  // namespace trellis
