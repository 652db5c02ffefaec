// The nodes that Reservations keep, and for whom.
//
// Cost: O(nodes x labels) for each Reservation when it is made; O(Reservations) for each question.
#pragma once

#include <vector>

#include "framework/ids.h"
#include "framework/reservation.h"
#include "framework/time.h"
#include "session/placement/placement_context.h"

namespace trellis {

class ReservedNodes {
 public:
  struct Kept {
    const Reservation* reservation = nullptr;
    std::vector<NodeId> nodes;
  };

  explicit ReservedNodes(const PlacementContext& context);

  bool empty() const { return kept_.empty(); }
  // By name, without those that are over.
  const std::vector<Kept>& kept() const { return kept_; }
  // Whether the gang may use the nodes all the time. kNone: what is no gang may not.
  bool may_use(GangId gang, const Reservation& reservation) const;

 private:
  const PlacementContext& context_;
  std::vector<Kept> kept_;
};

}  // namespace trellis
