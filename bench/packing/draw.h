// Random numbers, drawn by hand: what the standard library's distributions and shuffle give differs
// between libraries.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace trellis::bench {

class Draw {
 public:
  explicit Draw(uint64_t seed) : bits_(seed) {}
  size_t below(size_t limit) { return static_cast<size_t>(bits_() % limit); }
  double exponential(double mean) {
    double part = (static_cast<double>(bits_() >> 11) + 1) * 0x1p-53;  // above 0, up to 1
    return -mean * std::log(part);
  }
  void shuffle(std::vector<size_t>& order) {
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  }

 private:
  std::mt19937_64 bits_;
};

}  // namespace trellis::bench
