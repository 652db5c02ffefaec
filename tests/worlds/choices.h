// Small choices that a string of bytes makes: the bytes first, so that a fuzzer steers them, then
// random numbers from a seed that the bytes give. Equal bytes make equal choices.
#pragma once

#include <cstdint>
#include <span>

#include "tests/support/random.h"

namespace trellis::worlds {

class Choices {
 public:
  explicit Choices(uint64_t seed) : bytes_({}), random_(seed) {}
  explicit Choices(std::span<const uint8_t> bytes) : bytes_(bytes), random_(seed_of(bytes)) {}

  // 0 .. bound - 1; 0 where `bound` is 0.
  size_t below(size_t bound) {
    if (bound == 0) return 0;
    if (bytes_.empty()) return static_cast<size_t>(random_.next() % bound);
    size_t value = bytes_.byte();
    if (bound > 256) value = value * 256 + bytes_.byte();
    return value % bound;
  }
  // True `percent` times out of a hundred.
  bool chance(size_t percent) { return below(100) < percent; }
  template <class Container>
  auto& pick(Container& values) {
    return values[below(values.size())];
  }
  uint64_t seed() { return random_.next(); }

 private:
  // FNV-1a.
  static uint64_t seed_of(std::span<const uint8_t> bytes) {
    uint64_t hash = 0xcbf29ce484222325ULL;
    for (uint8_t byte : bytes) hash = (hash ^ byte) * 0x100000001b3ULL;
    return hash;
  }

  ByteStream bytes_;
  Random random_;
};

}  // namespace trellis::worlds
