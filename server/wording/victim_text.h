// Why others are not moved for a gang, as text.
#pragma once

#include <string>

#include "framework/reason.h"

namespace trellis {

// "reclaim: nothing may be moved: 3 gangs are not preemptible".
std::string victim_text(const Reason& reason);

}  // namespace trellis
