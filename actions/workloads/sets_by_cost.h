// The order in which sets of a few candidates are tried.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

// All sets of so many candidates, as bits: the smaller ones first, of equal ones those without a
// high priority, then those of early candidates. Cost: 2 ^ candidates.
std::vector<uint32_t> sets_by_cost(std::span<const int32_t> priorities);

}  // namespace trellis
