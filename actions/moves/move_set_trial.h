// One trial in the session's statement: a set of movers leaves, the waiting gang or workload gets
// its place, and each mover another one.
//
// First one after the other, where each looks for the best place; then all together, by the search
// that places the units of one demand (session/placement/demand_search.h): what it proves not to
// fit does not fit. All places are promises: they are taken once the movers have left.
// Guarantees: on success the statement holds all of it, quota included, and decisions() what is to
// be decided about workloads; else the statement is as it was. No mover keeps its place, and none
// takes room that appointments or Reservations keep from what waits.
// Cost: a search for each of them, and one for all together.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "actions/backfill/kept_starts.h"
#include "actions/moves/movers.h"
#include "actions/victims/joint_search.h"
#include "actions/workloads/nomination.h"
#include "session/placement/demand_search.h"
#include "session/placement/gang_search.h"

namespace trellis {

// What waits for room: a gang, or the head of a ClusterQueue.
struct RoomSeeker {
  GangId gang;
  WorkloadId workload;
  ClusterQueueId queue;
};

class MoveSetTrial {
 public:
  // `kept`: the appointments that are heeded.
  MoveSetTrial(Session& session, KeptStarts& kept)
      : session_(session),
        kept_(kept),
        nominator_(session),
        others_(session),
        promises_(session, FitMode::Future),
        joint_(session, FitMode::Future) {}

  // Begins the trials for another one, which share the work of one search.
  void begin(const RoomSeeker& waiting);
  bool out_of_work() const { return work_ < 0; }

  bool run(std::span<const Mover* const> movers);
  // After a run that failed: the movers that could have stayed, where all had a place.
  const std::vector<const Mover*>& stayers() const { return stayers_; }
  // The nodes that it would have if all these left, wherever they went; nullopt: it would have no
  // place. What is found is undone.
  std::optional<std::vector<NodeId>> nodes_without(std::span<const Mover* const> movers);

  std::vector<WorkloadDecision> take_decisions() { return std::move(decisions_); }

 private:
  // A position in the statement and in decisions_.
  struct Mark {
    Statement::Checkpoint checkpoint;
    size_t decisions = 0;
  };
  // Gangs and nominated workloads that are placed together.
  struct Party {
    std::vector<Nomination> nominations;
    std::vector<GangPods> gangs;
    std::vector<WorkloadUnit> units;  // of the nominations
    std::vector<size_t> unit_counts;  // of each nomination
  };

  Mark mark() const { return {session_.statement().checkpoint(), decisions_.size()}; }
  bool undo(const Mark& mark);
  void make_leave(std::span<const Mover* const> movers);
  void hold_back();
  bool place_gang(std::span<const Mover* const> movers);
  bool place_workload(std::span<const Mover* const> movers);
  bool place_gang_alone();
  bool find_gang(std::vector<NodeId>& nodes);
  bool find_workload(std::vector<NodeId>& nodes);
  bool place_movers(std::span<const Mover* const> movers);
  bool place_mover(size_t index, const Mover& mover);
  bool place_together(const Nomination* own, std::span<const Mover* const> movers);
  bool make_party(const Nomination* own, std::span<const Mover* const> movers, Party& party) const;
  bool search(Party& party);
  bool decide(const Nomination& nomination, size_t mover, std::span<const Mover* const> movers);
  bool all_moved(std::span<const Mover* const> movers);
  bool stays(const Mover& mover) const;
  Reason waits_for(size_t movers) const;

  static constexpr size_t kOwn = SIZE_MAX;  // instead of a mover: what waits

  Session& session_;
  KeptStarts& kept_;
  RoomTimes* times_ = nullptr;  // since begin(); null: nothing is heeded
  Nominator nominator_;         // of what waits
  Nominator others_;            // of movers
  GangSearch promises_;
  DemandSearch joint_;
  RoomSeeker waiting_;
  int64_t work_ = 0;  // left
  std::vector<const Mover*> stayers_;
  std::vector<HeldRoom> held_;               // while movers have left
  std::vector<WorkloadDecision> leaving_;    // by mover; of gangs empty
  std::vector<WorkloadDecision> decisions_;  // of the places in the statement
};

}  // namespace trellis
