// Look-ahead (limits.lookAhead): the next gangs of a queue that are equal in rank are placed in the
// order that places most of them.
//
// Words: a *run* is such gangs, placed in the statement in the order of the queue, and not final.
// Its *head* is its first gang, which has a place.
// Guarantees: another order stands only if its value (order_value.h) is better, its head is placed
// no later than before, and at each gang of it the queue still has the turn. A run is never longer
// than limits.lookAhead.
// Cost: nothing more where no gang of a run waits; else what the budget of an OrderTrial allows,
// and for all runs of a cycle together the work of limits.searchBudget.
#pragma once

#include <span>
#include <vector>

#include "actions/waiting/gang_queue.h"
#include "actions/waiting/order_value.h"
#include "session/placement/gang_search.h"

namespace trellis {

class LookAhead {
 public:
  LookAhead(Session& session, GangSearch& search, GangQueue& queue)
      : session_(session),
        search_(search),
        queue_(queue),
        work_(session.config().limits.search_budget) {}

  // Whether a gang that is not served yet may change places with others at all.
  bool may_change(GangId gang) const;
  // Whether the gang that has the turn now belongs to the run. REQUIRES: a gang is in the queue.
  bool joins(std::span<const GangTurn> run);
  // Places the run in the best order that is found. Gangs that differ in rank from those before
  // them go back to the queue.
  void improve(std::vector<GangTurn>& run);
  // Adds the reasons of the gangs that have no place because of that, after their own reasons.
  void add_reasons();

 private:
  struct Passed {
    GangId gang;
    GangId by;  // a gang that has a place because of that
  };

  Session& session_;
  GangSearch& search_;
  GangQueue& queue_;
  int64_t work_;  // left, of the trials of all runs
  std::vector<Passed> passed_;
};

}  // namespace trellis
