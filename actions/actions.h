// The actions, in the order in which they run by default. Each takes the decisions of one step of a
// cycle in the session's statement, and commits those that stand.
#pragma once

#include <string_view>
#include <vector>

#include "framework/config.h"
#include "session/cycle/action.h"

namespace trellis {

class Session;

// Admits workloads: quota, flavors and places for all their pods, or nothing.
void admit(Session& session);

// Places waiting gangs in order, each all or nothing down to its minimum; pods above the minimum
// follow one by one, in turn with the other gangs.
void allocate(Session& session);

// Moves running gangs together, so that a waiting gang finds whole room. Every victim is promised a
// new place in the same decision. With the placement strategy spread it does nothing: the pods
// would be spread again.
void consolidate(Session& session);

// Takes back, for a queue below its fair share, what other queues hold above theirs.
void reclaim(Session& session);

// Makes room for a gang at the cost of gangs of its own queue with lower priority.
void preempt(Session& session);

// Evicts gangs that have run below their minimum for too long. A gang with succeeded pods is left
// to finish. The longest time is the gang's own grace period, else limits.stalenessGracePeriod;
// negative: never evicted.
void evict_stale_gangs(Session& session);

// Moves gangs that say that they may be moved, so that larger gangs fit in the room which is left
// (defragmentation/move_plan.h). Every one is promised its new place in the same decision. Does
// nothing unless defragmentation.enabled, outside its window, beyond its budget, or while others
// move or have promises.
void defragment(Session& session);

// Every name that a configuration may list, in the order in which they run by default.
std::vector<std::string_view> action_names();

// The actions that config.actions lists, in its order.
std::vector<Action> make_actions(const Config& config);

}  // namespace trellis
