// Searches for movers whose leaving gives room to a waiting gang or workload, as few as possible.
//
// Of a few movers every set is tried, the smallest first. Of more, first in each domain that the
// waiting one may be in, those with the fewest movers first: the sets of the movers on the nodes
// that it would have there. Then each mover alone; at last all movers together, and those that are
// not in the way stay.
// Pods that may stand in a place only after others came to theirs (spread, required affinity) take
// no part: the next cycle places workloads and gangs in another order, and would move them again.
// Guarantees: nothing moves unless the waiting one and all movers have a place and quota in the
// same decisions; of a few movers, the smallest set that the trials find is taken.
// Cost: one trial a set (move_set_trial.h): kMostTrials a search, kMostOfAction an action; and for
// each of kMostDomains O(nodes).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actions/moves/move_set_trial.h"
#include "actions/moves/movers.h"
#include "actions/victims/disruption_limits.h"

namespace trellis {

class MoveSearch {
 public:
  // `kept`: the appointments that are heeded.
  MoveSearch(Session& session, KeptStarts& kept)
      : session_(session), trial_(session, kept), on_(workloads_may_move(session.config())) {}

  // What PodDisruptionBudgets leave to the action. REQUIRES: the statement is clean.
  DisruptionLimits& limits() { return limits_ ? *limits_ : limits_.emplace(session_); }

  // True: the moves and the promises were decided and committed. A waiting gang is moved for only
  // if some workload moves: gangs alone are for VictimSearch.
  bool run(const RoomSeeker& waiting);
  // The gangs that moved by the last search that was successful.
  const std::vector<GangId>& moved_gangs() const { return moved_gangs_; }

 private:
  using Chosen = std::vector<const Mover*>;
  using Nodes = std::vector<NodeId>;

  static constexpr int64_t kMostTrials = 128;
  static constexpr int64_t kMostOfAction = 2048;
  static constexpr size_t kMostDomains = 16;

  // Where all pods of the waiting one have to be: in one domain of this level.
  struct Level {
    TopologyId topology;
    int level = 0;
  };

  bool may_be_moved_for(const RoomSeeker& waiting) const;
  Chosen candidates(const RoomSeeker& waiting);
  bool may_take_part(GangId gang, WorkloadId workload) const;
  bool try_sets(const RoomSeeker& waiting, const Chosen& movers);
  bool try_many(const RoomSeeker& waiting, const Chosen& movers, const Nodes& nodes);
  bool try_domains(const RoomSeeker& waiting, const Chosen& movers);
  bool try_domain(const RoomSeeker& waiting, const Chosen& inside, std::span<const NodeId> others);
  bool try_those_on(const RoomSeeker& waiting, const Chosen& movers, const Nodes& nodes);
  std::optional<Level> required_level(const RoomSeeker& waiting) const;
  Nodes nodes_of(const Mover& mover) const;
  bool try_least(const RoomSeeker& waiting, Chosen movers);
  bool may_leave(const Chosen& movers) const;
  bool would_do(const Chosen& movers);
  bool try_set(const RoomSeeker& waiting, const Chosen& movers);
  bool carry_out(const RoomSeeker& waiting, const Chosen& movers);

  Session& session_;
  std::optional<DisruptionLimits> limits_;
  MoveSetTrial trial_;
  bool on_ = false;
  bool known_ = false;  // movers_ are found
  std::vector<Mover> movers_;
  std::vector<GangId> moved_gangs_;
  int64_t of_action_ = kMostOfAction;  // left
  int64_t trials_left_ = 0;            // of the search
};

// Searches for the heads of ClusterQueues that found no place, in the order of their turns.
void move_for_heads(Session& session, MoveSearch& moves);

}  // namespace trellis
