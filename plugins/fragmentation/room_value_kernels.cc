#include "plugins/fragmentation/room_value_kernels.h"

#include <array>
#include <cstdint>

namespace trellis {

void add_places(std::span<const float> inverse, float room, std::span<float> places) {
  const float* from = inverse.data();
  float* to = places.data();
  for (size_t i = 0; i < inverse.size(); ++i) {
    to[i] += static_cast<float>(static_cast<int32_t>(room * from[i]));
  }
}

void divide_places(std::span<const float> inverse, std::span<float> places) {
  const float* by = inverse.data();
  float* to = places.data();
  for (size_t i = 0; i < inverse.size(); ++i) {
    to[i] = static_cast<float>(static_cast<int32_t>(to[i] * by[i]));
  }
}

void lower_counts(std::span<const double> inverse, double room, std::span<double> counts) {
  const double* by = inverse.data();
  double* to = counts.data();
  for (size_t i = 0; i < inverse.size(); ++i) {
    double fits = room * by[i];
    fits = fits < to[i] ? fits : to[i];
    to[i] = static_cast<double>(static_cast<int32_t>(fits));
  }
}

double weighted_sum(std::span<const double> weights, std::span<const double> counts) {
  std::array<double, kLanes> sums{};
  for (size_t i = 0; i < weights.size(); i += kLanes) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      sums[lane] += weights[i + lane] * counts[i + lane];
    }
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace trellis
