// The gangs that may be moved for another gang, and the order in which they are preferred as
// victims.
//
// Words: a victim is a gang that would lose pods. It is preferred if it is in the background; then
// the lower its priority, then the
// later its queue would be served, then the later it began to run, then the later it was created,
// then by name. Gangs whose pods are in slots of a workload are no victims: the workload keeps the
// slots, and its ClusterQueue decides what it gives up.
// Guarantees: gangs that lost their own place or got one in this cycle are no victims; every rule
// of the queues is evaluated on the statement as it is.
// Cost: a verdict on a gang O(1) after the first for the same queue and priority.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/plugin.h"
#include "framework/queue_amounts.h"
#include "session/cycle/session.h"
#include "session/placement/pod_rows.h"

namespace trellis {

// A waiting gang for which other gangs are to be moved.
struct MoveRequest {
  GangId gang;
  MoveCause cause = MoveCause::Preempt;
  std::vector<RowPods> rows;  // pods that have to be placed next, together
  QueueAmounts need;          // of these pods
};

// The age of a gang; older gangs have greater ages.
struct VictimAge {
  int64_t running = INT64_MIN;  // start time, negated; INT64_MAX where it is unknown
  int64_t created = INT64_MIN;  // negated
  auto operator<=>(const VictimAge&) const = default;
};

class VictimPool {
 public:
  explicit VictimPool(Session& session) : session_(session) {}

  // Victims are for this request from now on.
  void serve(const MoveRequest& request);
  // Whether a queue's share keeps its gangs from being considered. JudgedLater: only the exchange
  // as a whole is judged, because a gang that finds another place costs its queue nothing.
  enum class Shares : uint8_t { Heeded, JudgedLater };
  void set_shares(Shares shares) { shares_ = shares; }

  // None: the gang may lose pods above its minimum; its queue's share is not checked.
  ReasonCode verdict(GangId victim);
  // None: the gang may be broken, or leave altogether, too.
  ReasonCode core_verdict(GangId victim);
  // Whether the gang may lose pods, and its queue may lose (more), in the statement as it is.
  bool may_move(GangId victim);
  bool may_break(GangId victim) { return core_verdict(victim) == ReasonCode::None; }

  // The verdicts on gangs that may not be moved, or not be broken, by reason; the most frequent
  // first. Cost: O(reasons).
  std::vector<VerdictCount> verdicts() const;

  // Whether gang a is evicted sooner than gang b; a strict total order.
  bool evict_before(GangId a, GangId b) const;
  VictimAge age(GangId gang) const;
  // The position of the gang's queue among queues that lose pods: queues that are served last come
  // first. 0 where queues do not decide.
  int64_t queue_turn(GangId gang) const;
  // The amounts that queues hold have changed.
  void settle() { turns_.clear(); }

  // Gangs that may be moved, at most `most` of them, in no order. Cost: O(gangs); O(1) where no
  // gang may be moved by the same rules, as that stays so for the rest of the action.
  std::vector<GangId> some(size_t most);

 private:
  struct Known {
    uint32_t epoch = 0;
    ReasonCode code = ReasonCode::None;
    ReasonCode core = ReasonCode::None;
  };
  const Known& look_up(GangId victim);
  void count(const Known& known, int64_t change);
  ReasonCode judge(GangId victim) const;
  ReasonCode judge_core(GangId victim) const;
  bool same_queue(GangId a, GangId b) const;
  bool same_rules(const MoveRequest& a, const MoveRequest& b) const;
  TimeUs started(GangId gang) const;
  void make_turns() const;
  Maybe<QueueId> queue_of(GangId gang) const {
    return session_.snapshot().queues().queue_of_gang()[gang];
  }

  Session& session_;
  MoveRequest request_;
  bool serving_ = false;
  uint32_t epoch_ = 1;
  bool none_ = false;                 // in this epoch, whatever the queues' shares are
  std::vector<VerdictCount> counts_;  // of the core verdicts of this epoch
  Shares shares_ = Shares::Heeded;
  IndexedVector<GangId, Known> known_;
  static constexpr TimeUs kNotComputed = kNoTime + 1;
  mutable IndexedVector<GangId, TimeUs> started_;
  mutable IndexedVector<QueueId, int64_t> turns_;  // empty: to be made
};

}  // namespace trellis
