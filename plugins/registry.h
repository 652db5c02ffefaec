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

// The arguments that a built plugin reads from plugins.NAME.arguments, as paths with the form of
// their values (server/config/plugin_arguments.h); nullopt: the plugin is not built yet.
std::optional<std::span<const std::string_view>> plugin_arguments(std::string_view name);

// The plugins that are built and enabled; of their opinions on an order, those of earlier plugins
// count first.
std::vector<std::unique_ptr<Plugin>> make_plugins(const Config& config);

}  // namespace trellis
