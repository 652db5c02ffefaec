// The names that configuration and command line accept, planned ones included, and what is built.
#pragma once

#include <string_view>
#include <vector>

namespace trellis {

// By name.
std::vector<std::string_view> known_plugins();
std::vector<std::string_view> built_plugins();

// In the order in which they run by default.
std::vector<std::string_view> known_actions();

}  // namespace trellis
