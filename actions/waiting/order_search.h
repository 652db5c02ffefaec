// Searches the order of a run of gangs that has the best value (order_value.h).
//
// Guarantees: the order as it stands is kept unless another is better; the head is placed no later
// than in it. Deterministic.
// Cost: the budget of an OrderTrial, and the places of the order that stands once more.
#pragma once

#include <vector>

#include "actions/waiting/order_trial.h"
#include "actions/waiting/order_value.h"

namespace trellis {

class OrderSearch {
 public:
  // `run`: all that the statement has; its first gang, the head, has a place, and some gang waits.
  OrderSearch(const OrderTrial::Input& input, std::vector<GangTurn>& run);

  // Afterwards the run is in the best order that was found. Returns gangs that are no part of it
  // any more, because they differ in rank from those before them.
  std::vector<GangId> improve();

 private:
  using Order = std::vector<GangId>;

  // What sorts gangs: as they are before any of them is placed.
  struct Demand {
    GangId gang;
    int64_t gpus = 0;
    uint32_t domains = 0;  // of the level that it requires; 0: it requires none
  };

  Order order_of_run() const;
  std::vector<GangTurn> waiting_of_run() const;
  bool head_kept() const;
  bool is_promised(GangId gang) const;
  Order cut_at_rank();
  void set_aside_hopeless();
  void search();
  std::vector<Demand> demands(const Order& order);
  bool try_order(const Order& order);
  void try_sorted();
  bool promote_one();

  Session& session_;
  std::vector<GangTurn>& run_;
  OrderTrial trial_;
  OrderValues values_;
  GangId head_;
  bool head_promised_ = false;
  Order plain_;
  std::vector<GangTurn> plain_waits_;
  std::vector<GangTurn> hopeless_;  // no place even before all others
  Order best_;                      // without them
  OrderValue best_value_;
  std::vector<GangTurn> best_waits_;
};

}  // namespace trellis
