// One trial in the session's statement: the victims leave, the gang is placed, and each victim that
// proves not to be in the gang's way stays.
//
// Guarantees: on success the statement holds evictions and the placements that they enable, fair by
// the rules of the queues, and none that delays an appointment (actions/backfill); else it is as it
// was. No eviction is kept that the placement can do
// without, where counts say what fits.
// Cost: a search for the gang, and for each victim that may be placed again; O(pods of the
// victims).
#pragma once

#include <set>
#include <span>
#include <vector>

#include "actions/backfill/kept_starts.h"
#include "actions/backfill/room_guard.h"
#include "actions/victims/disruption_limits.h"
#include "actions/victims/joint_search.h"
#include "actions/victims/victim_set.h"
#include "session/cycle/gang_step.h"

namespace trellis {

class MoveTrial {
 public:
  // `kept`: the appointments that are heeded.
  MoveTrial(Session& session, VictimPool& pool, VictimSet& set, DisruptionLimits& limits,
            KeptStarts& kept)
      : session_(session),
        pool_(pool),
        set_(set),
        limits_(limits),
        kept_(kept),
        promises_(session, FitMode::Future),
        start_(session.statement().checkpoint()) {}

  // Begins the trials for another gang, which share the work of one search.
  void begin(const MoveRequest& request);
  // Whether the work is used up, so that no further trial can find anything.
  bool out_of_work() const { return work_ < 0; }
  int64_t work() const { return allowed_ - work_; }  // of the trials since begin()
  // Whether a trial since begin() failed before all arrangements of its pods were tried.
  bool cut() const { return cut_; }

  // REQUIRES: no pod of the units is evicted yet.
  bool run(const MoveRequest& request, std::span<const VictimUnit> units);
  // Whether the gang would have a place if all units left, fair or not; true where that is not
  // known. Changes nothing.
  bool could_place(const MoveRequest& request, std::span<const VictimUnit> units);
  // Whether it is proved that the gang has no place however these units' pods move: each of them
  // has to have a place afterwards. Changes nothing.
  bool rules_out(const MoveRequest& request, std::span<const VictimUnit> units);
  // Whether the last run() proved the same.
  bool refuted() const { return refuted_; }
  // Why the last trial failed.
  ReasonCode failure() const { return failure_; }
  // Since begin(): why a place that the gang would else have got is kept from it; code None: none
  // is.
  const Reason& kept_back() const { return kept_back_; }

 private:
  struct Placement {
    PodId pod;
    NodeId node;
    GpuGrant devices;
  };

  bool delays(const MoveRequest& request, size_t first_decision) const;
  bool meets(NodeId node) const;  // the gang is placed there
  bool in_the_way(const MoveRequest& request, const VictimUnit& unit) const;
  bool find(const MoveRequest& request, std::span<const VictimUnit> units);
  RoomGuard guard() const { return {session_, times_}; }
  bool complete(const MoveRequest& request, std::span<const VictimUnit> units);
  bool arrange(const MoveRequest& request, std::span<const VictimUnit> units);
  SearchResult place_all(std::span<const GangPods> gangs);
  bool take(std::span<const VictimUnit> units);
  bool place(const MoveRequest& request);
  GangStep next_step(GangId gang);
  std::vector<VictimUnit> needed(const MoveRequest& request);
  bool give_back(const MoveRequest& request, const VictimUnit& unit);
  bool exact(const VictimUnit& unit);
  bool goes_before(GangId victim, const QueueAmounts& need, const MoveRequest& request) const;
  QueueAmounts amounts_of(const VictimUnit& unit) const;
  std::vector<GangId> early_victims(const MoveRequest& request) const;
  bool may_place_again(const MoveRequest& request) const;
  bool place_in_turn(const MoveRequest& request, std::span<const VictimUnit> units);
  std::set<GangId> placed_victims() const;
  bool place_victims(const MoveRequest& request);
  bool place_again(GangId victim);
  bool promise(GangId victim, std::span<const PodId> pods);
  bool fair(const MoveRequest& request);
  bool is_taken_back(const MoveRequest& request, std::span<const VictimUnit> units);
  bool takes_back(GangId other, const MoveRequest& request);
  bool is_back(const MoveRequest& request) const;
  bool too_many(const MoveRequest& request) const;
  bool fail(ReasonCode code);
  Maybe<QueueId> queue_of(GangId gang) const {
    return session_.snapshot().queues().queue_of_gang()[gang];
  }

  Session& session_;
  VictimPool& pool_;
  VictimSet& set_;
  DisruptionLimits& limits_;
  KeptStarts& kept_;
  RoomTimes* times_ = nullptr;  // since begin(); null: nothing is heeded
  GangSearch promises_;
  int64_t allowed_ = 0;
  int64_t work_ = 0;  // left
  bool cut_ = false;
  bool refuted_ = false;
  Statement::Checkpoint start_;
  size_t first_decision_ = 0;      // of placed_
  std::vector<Placement> placed_;  // of the gang
  QueueAmounts taken_;             // by the gang
  ReasonCode failure_ = ReasonCode::None;
  Reason kept_from_;  // of the last trial
  Reason kept_back_;
};

}  // namespace trellis
