// The running gangs that would have to leave a domain before a gang's pods fit there.
#pragma once

#include <vector>

#include "session/explain/gang_explanation.h"
#include "session/explain/room.h"

namespace trellis {

// None of the gangs in the result can stay. Order: preemptible ones first, lower priority first,
// those that hold most of what is scarce first. Empty: the domain takes the pods, or not even all
// gangs of the domain make room. By count, whether rules would let the gangs be moved or not. Pods
// of other schedulers stay.
// Cost: O(pods of the cluster), then a look at the domain for each gang on it, at most kMostMoved
// twice.
std::vector<GangHolding> gangs_in_the_way(Session& session, const GangExplanation& explanation,
                                          const DomainJudgement& judgement);

inline constexpr size_t kMostMoved = 32;

}  // namespace trellis
