// stalegangeviction: evicts gangs that have run below their minimum for too long.
//
// A gang with succeeded pods is left to finish. The longest time is the gang's own grace period,
// else limits.stalenessGracePeriod; negative: never evicted.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class StaleGangEviction : public Action {
 public:
  std::string_view name() const override { return "stalegangeviction"; }
  void run(Session& session) override;
};

}  // namespace trellis
