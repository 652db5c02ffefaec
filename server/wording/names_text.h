// Names in a row, the first few of them: `n1 n2 n3 +4`.
#pragma once

#include <string>
#include <vector>

namespace trellis {

// In order, each once.
void sort_unique(std::vector<std::string>& names);

std::string names_text(const std::vector<std::string>& names);

}  // namespace trellis
