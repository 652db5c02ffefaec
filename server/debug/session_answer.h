// Answers /debug/session: the last cycle, its times, its decisions, and why gangs wait.
#pragma once

#include <string>

#include "server/debug/cycle_view.h"

namespace trellis {

// `limit`: the maximum number of listed pods that the cycle decided about.
std::string session_json(CycleView& view, int64_t limit);
std::string session_text(const CycleView& view);

}  // namespace trellis
