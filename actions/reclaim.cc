#include "actions/reclaim.h"

#include "actions/move_gangs.h"

namespace trellis {

void Reclaim::run(Session& session) { move_gangs(session, MoveCause::Reclaim, name()); }

}  // namespace trellis
