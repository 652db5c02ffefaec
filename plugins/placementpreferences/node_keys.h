// Keys that order the nodes of a last group for the next pod. Lesser keys go first. Nodes where
// pods of the service recently failed too often come after all others, those with fewer failures
// first.
#pragma once

#include <compare>
#include <cstdint>

namespace trellis {

// Fewest pods of the service, then fewest pods.
struct CountKey {
  uint64_t packed = UINT64_MAX;

  // REQUIRES: failures below 255, counts below 2^28.
  static CountKey of(int32_t failures, int32_t of_service, int32_t pods) {
    return {static_cast<uint64_t>(failures) << 56 | static_cast<uint64_t>(of_service) << 28 |
            static_cast<uint64_t>(pods)};
  }
  static CountKey none() { return {}; }
  auto operator<=>(const CountKey&) const = default;
};

// Least part / whole of a resource, exactly.
struct UseKey {
  int32_t failures = INT32_MAX;
  int64_t part = 0;
  int64_t whole = 1;

  static UseKey none() { return {}; }
  std::strong_ordering operator<=>(const UseKey& other) const {
    if (failures != other.failures) return failures <=> other.failures;
    return static_cast<Wide>(part) * other.whole <=> static_cast<Wide>(other.part) * whole;
  }
  bool operator==(const UseKey& other) const { return std::is_eq(*this <=> other); }

 private:
  __extension__ using Wide = __int128;
};

}  // namespace trellis
