// Small random numbers that are the same on every machine: from a seed, or from bytes that a fuzzer
// hands in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace trellis {

// SplitMix64.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}

  uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9ULL;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebULL;
    return mixed ^ (mixed >> 31);
  }
  // 0 .. bound - 1.
  uint32_t below(uint32_t bound) { return static_cast<uint32_t>(next() % bound); }
  int64_t between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(next() % static_cast<uint64_t>(high - low + 1));
  }
  // True `percent` times out of a hundred.
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class Container>
  const auto& pick(const Container& values) {
    return values[below(static_cast<uint32_t>(values.size()))];
  }
  template <class Container>
  void shuffle(Container& values) {
    for (size_t left = values.size(); left > 1; --left) {
      std::swap(values[left - 1], values[below(static_cast<uint32_t>(left))]);
    }
  }

 private:
  uint64_t state_;
};

// Bytes as a stream of small choices; zeros when they are used up.
class ByteStream {
 public:
  explicit ByteStream(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool empty() const { return at_ >= bytes_.size(); }
  uint8_t byte() { return empty() ? 0 : bytes_[at_++]; }
  uint32_t below(uint32_t bound) { return byte() % bound; }

 private:
  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
};

inline std::vector<uint8_t> random_bytes(uint64_t seed, size_t count) {
  Random random(seed);
  std::vector<uint8_t> bytes(count);
  for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random.next());
  return bytes;
}

}  // namespace trellis
