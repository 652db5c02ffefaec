// Lets time pass in the statement, as far as it is expected: gangs that have ended leave, and
// appointed gangs take their places.
#pragma once

#include "actions/backfill/room_times.h"

namespace trellis {

// The gang's pods that run leave.
void leave(Session& session, GangId gang);

// An appointed gang takes its places, as far as its pods wait.
void take_places(Session& session, const KeptStart& start);

// The appointed gangs that bind the gang, and run at this time, take their places.
void take_begun(Session& session, const RoomTimes& times, GangId gang, TimeUs time);

}  // namespace trellis
