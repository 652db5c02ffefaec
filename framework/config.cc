#include "framework/config.h"

namespace trellis {

std::string PluginConfig::argument(const std::string& key) const {
  auto found = arguments.find(key);
  return found == arguments.end() ? "" : found->second;
}

PluginConfig Config::plugin(const std::string& name) const {
  auto found = plugins.find(name);
  return found == plugins.end() ? PluginConfig() : found->second;
}

}  // namespace trellis
