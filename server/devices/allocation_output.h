// Allocations, as `status.allocation` of a claim has them.
#pragma once

#include <string>
#include <string_view>

#include "devices/model.h"

namespace trellis {

// JSON. `share_seed` makes the shareIDs: equal seeds give equal ids, and no two shares of one
// allocation have the same.
std::string allocation_json(const devices::Allocation& allocation, std::string_view share_seed);

}  // namespace trellis
