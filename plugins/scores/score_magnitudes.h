// Scores of nodes. A plugin returns the figures of the program that its rule comes from: figures of
// kube-scheduler and scheduler-plugins are between 0 and kBestScore, KAI's between 0 and their
// order of magnitude. A plugin is registered with its weight times a *scale*, which raises the
// figures to that order: a plugin of a higher order of magnitude always decides before one of a
// lower.
#pragma once

namespace trellis {

inline constexpr double kBestScore = 100;

inline constexpr double kDensityScore = 9;
inline constexpr double kFragmentationScore = 9;
inline constexpr double kResourceTypeScore = 10;
inline constexpr double kNumaScale = 0.9;  // 90
inline constexpr double kAvailabilityScore = 100;
inline constexpr double kGpuSharingScore = 1'000;
inline constexpr double kKubernetesScale = 1'000;  // 100,000

}  // namespace trellis
