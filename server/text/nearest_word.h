// The valid word that was probably meant.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace trellis {

// How many letters must be added, dropped, changed or swapped with their neighbour to make one of
// the other. A letter in the wrong case counts nothing. Only the first 64 letters are compared.
int edit_distance(std::string_view a, std::string_view b);

// The candidate nearest to `word`: at most a third of its letters away (but one letter always),
// not counting a part up to a slash that both share; of several the first by name. "" when none is
// near.
std::string nearest_word(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace trellis
