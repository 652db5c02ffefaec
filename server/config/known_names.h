// The names that configuration and command line accept, planned ones included, and what is built.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace trellis {

// By name.
std::vector<std::string_view> known_plugins();
std::vector<std::string_view> built_plugins();

// The arguments that a built plugin reads; nullopt for a planned one, which takes any.
std::optional<std::vector<std::string_view>> plugin_arguments(std::string_view plugin);

// In the order in which they run by default.
std::vector<std::string_view> known_actions();

}  // namespace trellis
