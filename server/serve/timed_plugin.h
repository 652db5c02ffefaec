// Wraps a plugin so that its batch-shaped callbacks are timed. Callbacks for one pair of gangs or
// one node class are too quick for a clock.
#pragma once

#include <memory>
#include <string_view>

#include "framework/plugin.h"
#include "server/serve/cycle_times.h"

namespace trellis {

// `clock` must outlive the plugin.
std::unique_ptr<Plugin> timed_plugin(std::unique_ptr<Plugin> plugin, CycleClock& clock);

}  // namespace trellis
