// Writes why no victims are moved for a gang.
#pragma once

#include <string>

#include "framework/reason.h"

namespace trellis {

// "reclaim: nothing may be moved: 3 gangs are not preemptible".
std::string victim_text(const Reason& reason);

}  // namespace trellis
