// The user's options about how decisions are carried out.
#pragma once

#include <cstdint>

namespace trellis {

// What happens to a gang that is below its minimum because a bind of it failed for good. Refill:
// the next cycles place the missing pods. Evict: its bound pods are evicted, so that the gang can
// start again as a whole.
enum class OnFailedBind : uint8_t { Refill, Evict };

// How pods are evicted. Evict respects their PodDisruptionBudgets, Delete does not.
enum class Removal : uint8_t { Evict, Delete };

struct BindPolicy {
  OnFailedBind on_failed = OnFailedBind::Refill;
  Removal removal = Removal::Evict;
};

}  // namespace trellis
