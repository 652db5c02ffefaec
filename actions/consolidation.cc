#include "actions/consolidation.h"

#include "actions/move_gangs.h"

namespace trellis {

void Consolidation::run(Session& session) { move_gangs(session, MoveCause::Consolidation, name()); }

}  // namespace trellis
