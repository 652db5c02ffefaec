// How long a gang is expected to run: the shortest time that the objects which describe it state.
#pragma once

#include <span>

#include "framework/time.h"
#include "server/grouping/gang_draft.h"

namespace trellis {

// kNoTime: no object states one. Deadlines of pods count where each pod has one: the longest.
TimeUs expected_run_time(const GangDraft& draft, std::span<const OwnerChain* const> chains);

}  // namespace trellis
