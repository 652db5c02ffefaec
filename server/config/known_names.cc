#include "server/config/known_names.h"

#include <algorithm>
#include <memory>
#include <span>

#include "actions/actions.h"
#include "plugins/registry.h"

namespace trellis {

std::vector<std::string_view> known_plugins() {
  std::span<const std::string_view> all = plugin_names();
  std::vector<std::string_view> names(all.begin(), all.end());
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> built_plugins() {
  std::vector<std::string_view> names;
  for (const std::unique_ptr<Plugin>& plugin : make_plugins(Config())) {
    names.push_back(plugin->name());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string_view> known_actions() { return action_names(); }

}  // namespace trellis
