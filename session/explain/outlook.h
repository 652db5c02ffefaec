// What a part of a demand could have where no domain of the required level takes it, and which
// gangs and workloads are in the way.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "session/explain/demand_explanation.h"
#include "session/explain/room.h"

namespace trellis {

struct PartOutlook {
  int64_t needed = 0;
  DomainRef largest;  // of the required level: the one with most nodes
  int64_t largest_nodes = 0;
  int64_t if_empty = 0;  // pods that a domain of the level would take at the most, were it empty
  int64_t at_most = 0;   // if as many nodes as the largest has were all like the best
  DomainRef above;       // the nearest level above where one takes the pods: the best; or none
  int levels_up = 0;
  int64_t above_pods = 0;
  bool anywhere = false;  // the whole topology takes them: a preferred level would do
};

// By count. None where the part requires no level, where a domain of it takes the part, or where
// pods of it already have nodes. Cost: a pass over the nodes for each row.
std::optional<PartOutlook> outlook_of(Session& session, const DemandExplanation& explanation,
                                      uint32_t part);

// The gangs and workloads that would have to leave a domain before a demand's pods fit there.
// None of those in the result can stay. Order: preemptible ones first, lower priority first, those
// that hold most of what is scarce first. Empty: the domain takes the pods, or not even all of them
// make room. By count, whether rules would let them be moved or not. Pods of other schedulers stay.
// Cost: O(pods and workloads of the cluster), then a look at the domain for each that is on it, at
// most kMostMoved twice.
std::vector<Holding> find_in_the_way(Session& session, const DemandExplanation& explanation,
                                     const DomainJudgement& judgement);

inline constexpr size_t kMostMoved = 32;

// All of this for a part that fits nowhere; empty for the others.
struct PartHelp {
  // Whether the pod counts of domains are exact for the part. Otherwise they are upper bounds, and
  // more room by count may not be enough.
  bool settled = false;
  std::optional<PartOutlook> outlook;
  DomainRef nearest;                // the domain that lacks fewest pods
  std::vector<Holding> in_the_way;  // there
};
// By part.
std::vector<PartHelp> help_for(Session& session, const DemandExplanation& explanation);

}  // namespace trellis
