#include "actions/preempt.h"

#include "actions/move_gangs.h"

namespace trellis {

void Preempt::run(Session& session) { move_gangs(session, MoveCause::Preempt, name()); }

}  // namespace trellis
