// Loops over groups of pods, and over pods, of which a room may take some. They have no branches;
// sums have one order on every machine.
#pragma once

#include <cstddef>
#include <span>

namespace trellis {

// Columns have a multiple of so many cells.
inline constexpr size_t kLanes = 4;

// A little above 1: whole quotients stay whole when a division is a multiplication by the inverse.
inline constexpr double kAboveOne = 1 + 1e-9;
inline constexpr float kAboveOneFloat = 1 + 1e-6F;

// Adds to places[i] how many times a part of 1 / inverse[i] fits into `room`.
void add_places(std::span<const float> inverse, float room, std::span<float> places);

// places[i] times inverse[i], rounded down.
void divide_places(std::span<const float> inverse, std::span<float> places);

// Lowers counts[i], which is not negative, to how many times 1 / inverse[i] fits into `room`.
void lower_counts(std::span<const double> inverse, double room, std::span<double> counts);

double weighted_sum(std::span<const double> weights, std::span<const double> counts);

}  // namespace trellis
