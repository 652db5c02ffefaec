// The user's options about how decisions are carried out.
#pragma once

#include <cstdint>

namespace trellis {

// What becomes of a gang below its minimum because a bind of it failed for good: the next cycles go
// on placing what is missing, or its bound pods are evicted, so that it may start again as a whole.
enum class OnFailedBind : uint8_t { Refill, Evict };

// How pods are evicted: Evict keeps to their PodDisruptionBudgets.
enum class Removal : uint8_t { Evict, Delete };

struct BindPolicy {
  OnFailedBind on_failed = OnFailedBind::Refill;
  Removal removal = Removal::Evict;
};

}  // namespace trellis
