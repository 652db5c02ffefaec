// Slurm's lists of names: "n1,rack[0-1]n[01-16,20]".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/result.h"

namespace trellis {

inline constexpr size_t kMostListedNodes = 1'000'000;

// The names in the order of the list; several brackets in one name count like digits, the last one
// fastest. A number keeps the zeros before it. Fails on unbalanced brackets, ranges that are none,
// and more than kMostListedNodes names.
Result<std::vector<std::string>> expand_node_list(std::string_view list);

}  // namespace trellis
