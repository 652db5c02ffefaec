// The orders of magnitude of node scores, as KAI has them: a plugin of a higher one always decides
// before one of a lower. Each plugin's score lies between 0 and its own.
#pragma once

namespace trellis {

inline constexpr double kDensityScore = 9;
inline constexpr double kResourceTypeScore = 10;
inline constexpr double kNumaScore = 90;
inline constexpr double kAvailabilityScore = 100;
inline constexpr double kGpuSharingScore = 1'000;
inline constexpr double kKubernetesScore = 100'000;

}  // namespace trellis
