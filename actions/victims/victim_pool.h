// Which gangs may be moved for the sake of another, and which of them rather.
//
// Words: a victim is a gang that would lose pods. It is preferred the lower its priority, then the
// later it began to run, then the later it was created, then by name.
// Guarantees: gangs that lost their own place or got one in this cycle are no victims; every rule
// of the queues is asked as things stand in the statement.
// Cost: a question about a gang O(1) after the first for the same queue and priority.
#pragma once

#include <cstdint>
#include <vector>

#include "actions/victims/move_request.h"
#include "session/session.h"

namespace trellis {

class VictimPool {
 public:
  explicit VictimPool(Session& session) : session_(session) {}

  // For whose sake from now on.
  void serve(const MoveRequest& request);

  // None: the gang may lose pods above its minimum, its queue's share apart.
  ReasonCode verdict(GangId victim);
  // None: it may be broken, or leave altogether, too.
  ReasonCode core_verdict(GangId victim);
  // Whether it may lose pods, and its queue may lose (more), as things stand.
  bool may_move(GangId victim);
  bool may_break(GangId victim) { return core_verdict(victim) == ReasonCode::None; }

  // Gangs that were looked at and may not be moved, or not broken, by reason; most first.
  std::vector<VerdictCount> verdicts() const;

  // Strict and total.
  bool rather(GangId a, GangId b) const;
  // When the gang began to run; kNoTime: it is not said.
  TimeUs started(GangId gang) const;

  // Gangs that may be moved, at most `most` of them, in no order.
  std::vector<GangId> some(size_t most);

 private:
  struct Known {
    uint32_t epoch = 0;
    ReasonCode code = ReasonCode::None;
    ReasonCode core = ReasonCode::None;
  };
  const Known& look_up(GangId victim);
  ReasonCode judge(GangId victim) const;
  ReasonCode judge_core(GangId victim) const;
  bool same_queue(GangId a, GangId b) const;
  bool same_rules(const MoveRequest& a, const MoveRequest& b) const;
  QueueId queue_of(GangId gang) const { return session_.snapshot().queues().queue_of_gang()[gang]; }

  Session& session_;
  MoveRequest request_;
  bool serving_ = false;
  uint32_t epoch_ = 1;
  IndexedVector<GangId, Known> known_;
  static constexpr TimeUs kNotComputed = kNoTime + 1;
  mutable IndexedVector<GangId, TimeUs> started_;
};

}  // namespace trellis
