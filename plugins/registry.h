// The plugins by name.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "framework/plugin.h"

namespace trellis {

// Every name that a configuration may hold, planned plugins included.
std::span<const std::string_view> plugin_names();

// What a built plugin reads of plugins.NAME.arguments, as paths with the form of their values
// (server/config/plugin_arguments.h); nullopt: it is not built yet.
std::optional<std::span<const std::string_view>> plugin_arguments(std::string_view name);

// Those that are built and enabled, in the order in which their opinions on order count.
std::vector<std::unique_ptr<Plugin>> make_plugins(const Config& config);

}  // namespace trellis
