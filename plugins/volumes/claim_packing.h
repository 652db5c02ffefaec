// Claims of different sizes in places of bounded room: an exact search.
//
// Words: a *place* is a volume, which one claim takes whole, or a pool, in which claims share the
// room. Guarantees: where it finds nothing within its budget of steps, there is no assignment; all
// that it does depends on its input alone. Cost: O(claims * places) where the sum of the sizes
// decides, exponential at worst, O(budget * places) at most.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace trellis {

struct PackedPlace {
  static constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::max();
  int64_t room = 0;  // bytes
  bool whole = false;
  bool operator==(const PackedPlace&) const = default;
};

struct PackedClaim {
  static constexpr uint32_t kNowhere = UINT32_MAX;
  int64_t bytes = 0;
  std::vector<uint32_t> places;  // that have the claim, by index
  uint32_t home = kNowhere;      // where it may stay, whatever room is left there
  bool operator==(const PackedClaim&) const = default;
};

// The place of each claim; none: nothing was found.
std::optional<std::vector<uint32_t>> pack_claims(const std::vector<PackedClaim>& claims,
                                                 std::vector<PackedPlace> places,
                                                 int64_t budget_steps);

}  // namespace trellis
