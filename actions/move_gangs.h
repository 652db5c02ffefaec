// The common part of consolidation, reclaim and preempt: for each waiting gang, in order, searches
// for other gangs that can be moved for it.
#pragma once

#include <string_view>

#include "framework/plugin.h"

namespace trellis {

class Session;

// Commits what it finds in the name of `action`; sets the reasons of gangs for which it finds
// nothing.
void move_gangs(Session& session, MoveCause cause, std::string_view action);

}  // namespace trellis
