// Finds the valid word that was probably meant.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace trellis {

// The number of letters to add, drop, change or swap with their neighbour to turn one text into the
// other. A letter in the wrong case counts 0. Only the first 64 letters are compared.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`: at a distance of at most a third of its letters (one letter is
// always allowed), without a common part up to a slash; of several the first by name. "" when none
// is near.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

// The indexes of all candidates that are near in this sense, at most `most`: nearest first, then by
// name.
std::vector<size_t> nearest_words(std::string_view word,
                                  std::span<const std::string_view> candidates, size_t most);

}  // namespace trellis
