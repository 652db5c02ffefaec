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

// The keys of plugins.NAME.arguments that a built plugin reads; nullopt: it is not built yet.
std::optional<std::span<const std::string_view>> plugin_arguments(std::string_view name);

// What such an argument may say; no words: anything.
struct ArgumentWords {
  std::span<const std::string_view> words = {};
  bool several = false;  // with commas between them
};
ArgumentWords argument_words(std::string_view plugin, std::string_view key);

// Those that are built and enabled, in the order in which their opinions on order count.
std::vector<std::unique_ptr<Plugin>> make_plugins(const Config& config);

}  // namespace trellis
