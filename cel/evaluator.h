// Runs a checked expression over a device.
#pragma once

#include "cel/ast.h"
#include "cel/device.h"

namespace trellis::cel {

// An expression may cost so much, in the units of CEL: about one for each operation, and one for
// ten letters that are compared.
inline constexpr int64_t kCostLimit = 1'000'000;

struct Evaluation {
  // Maybe an error.
  Value value;
  int64_t cost = 0;
};

// `device` outlives the call. Cost: as the expression says, never more than about `kCostLimit`
// operations.
Evaluation evaluate(const Tree& tree, const Device& device);

}  // namespace trellis::cel
