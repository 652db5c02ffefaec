// What consolidation, reclaim and preempt have in common: each gang that waits, in order, asks that
// others be moved for it.
#pragma once

#include <string_view>

#include "framework/plugin.h"

namespace trellis {

class Session;

// Commits what it finds in the name of `action`; sets the reasons where nothing was found.
void move_gangs(Session& session, MoveCause cause, std::string_view action);

}  // namespace trellis
