#include "actions/consolidation.h"

#include "actions/move_gangs.h"
#include "session/cycle/session.h"

namespace trellis {

void Consolidation::run(Session& session) {
  const PlacementStrategy& strategy = session.config().placement_strategy;
  if (strategy.gpu == Strategy::Spread || strategy.cpu == Strategy::Spread) return;
  move_gangs(session, MoveCause::Consolidation, name());
}

}  // namespace trellis
