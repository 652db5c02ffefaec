// The orders and groups in which a trial takes the units of its victims.
#pragma once

#include <span>
#include <vector>

#include "actions/victims/joint_search.h"
#include "actions/victims/victim_pool.h"
#include "actions/victims/victim_set.h"
#include "session/cycle/session.h"

namespace trellis {

// Those that are preferred as victims last.
std::vector<VictimUnit> rather_last(const VictimPool& pool, std::vector<VictimUnit> units);

// In consolidation all pods keep a place, so each may stay or move on its own.
std::vector<VictimUnit> single_pods(std::span<const VictimUnit> units);

// Units of a gang stay together. The size of a gang is that of its largest pod, in devices, then in
// CPUs.
std::vector<VictimUnit> largest_first(const Session& session, std::vector<VictimUnit> units);

// The pods that the gang needs placed, and then those that the victims lose, by gang.
std::vector<GangPods> pods_by_gang(const MoveRequest& request, std::span<const VictimUnit> units);

}  // namespace trellis
