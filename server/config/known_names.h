// The names that configuration and command line accept, planned ones included, and the names of
// what is built.
#pragma once

#include <string_view>
#include <vector>

namespace trellis {

// Sorted by name.
std::vector<std::string_view> known_plugins();
std::vector<std::string_view> built_plugins();

// In the order in which they run by default.
std::vector<std::string_view> known_actions();

}  // namespace trellis
