// Tries orders of gangs in the statement, one after the other.
//
// Guarantees: gangs that two orders have in common at their front are served once, so that an order
// costs what it changes. Two runs of one order have the same result. The work that orders may cost
// depends on the input alone: so many turns, and the work of their searches.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "actions/waiting/gang_queue.h"
#include "actions/waiting/order_value.h"
#include "session/placement/gang_search.h"

namespace trellis {

class OrderTrial {
 public:
  struct Input {
    Session& session;
    GangSearch& search;
    const GangQueue& queue;
    int64_t& work;  // left, of all searches of all trials together
  };
  // `turns`: all that the statement has, in the order that they had; they follow what is tried.
  OrderTrial(const Input& input, std::vector<GangTurn>& turns);

  // Serves the gangs in this order. False, and not all are served: the budget is spent, or another
  // queue would have the turn before one of them.
  bool run(std::span<const GangId> order);
  // The same without a budget, for an order that ran before, in which these turns waited: they are
  // not searched for again.
  void restore(std::span<const GangId> order, std::span<const GangTurn> waiting);
  bool spent() const { return steps_ <= 0 || in_.work <= 0; }

 private:
  static constexpr int64_t kStepsPerGang = 16;

  size_t keep_front(std::span<const GangId> order);
  void serve(GangId gang);

  Input in_;
  std::vector<GangTurn>& turns_;
  std::vector<std::pair<GangId, int64_t>> work_of_;  // that each gang's search may do
  int64_t steps_ = 0;                                // left: turns that may be tried
};

}  // namespace trellis
