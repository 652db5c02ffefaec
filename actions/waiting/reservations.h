// Room that is kept for gangs that have waited long (limits.reserveAfter).
//
// A gang that has waited this long and does not fit keeps its best domain: what is free there, or
// becomes free, is not given in this cycle to gangs that come after it in its queue. Other queues'
// gangs may take it.
// Cost: nothing while nothing is kept; else O(nodes kept) and at most a second search for each gang
// that finds no place without the kept nodes.
#pragma once

#include <vector>

#include "session/cycle/gang_step.h"
#include "session/cycle/session.h"

namespace trellis {

class Reservations {
 public:
  explicit Reservations(Session& session) : session_(session) {}

  // The gang's next step, without the nodes that gangs before it in its queue keep.
  GangStep step(GangProgress& progress, GangSearch& search);
  // The gang found no place: keeps its best domain if it has waited long enough.
  void keep_for(GangId gang, const GangStep& step);
  // Whether room is kept for some gang.
  bool any() const { return !kept_.empty(); }
  // Adds the reasons of the gangs for which nodes are kept, after their own reasons.
  void add_reasons();

 private:
  struct Kept {
    GangId gang;
    Maybe<QueueId> queue;
    std::vector<NodeId> nodes;
    Reason note;
  };

  Maybe<QueueId> queue_of(GangId gang) const;
  Reason held_off(GangId gang, const Kept& kept) const;

  Session& session_;
  std::vector<Kept> kept_;
};

}  // namespace trellis
