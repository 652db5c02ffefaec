#include "framework/config.h"

namespace trellis {

PluginConfig Config::plugin(const std::string& name) const {
  auto found = plugins.find(name);
  return found == plugins.end() ? PluginConfig() : found->second;
}

}  // namespace trellis
