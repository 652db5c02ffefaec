// A key of labels that every node has, and no two nodes with the same value.
#pragma once

#include <cstdint>

#include "framework/ids.h"

namespace trellis {

// For NodeValues and link keys; no text has this id.
inline constexpr StrId kNodeItself{UINT32_MAX - 1};

}  // namespace trellis
