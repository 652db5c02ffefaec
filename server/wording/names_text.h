// Writes the first few of several names: `n1 n2 n3 +4`.
#pragma once

#include <string>
#include <vector>

namespace trellis {

// Sorts the names and removes duplicates.
void sort_unique(std::vector<std::string>& names);

std::string names_text(const std::vector<std::string>& names);

}  // namespace trellis
