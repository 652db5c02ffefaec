// stalegangeviction: gangs that have run below their minimum for too long are evicted.
//
// A gang that has begun to finish is let finish. How long is too long: the gang's own grace period,
// else limits.stalenessGracePeriod; negative: never.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class StaleGangEviction : public Action {
 public:
  std::string_view name() const override { return "stalegangeviction"; }
  void run(Session& session) override;
};

}  // namespace trellis
