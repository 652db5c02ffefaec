// A plugin whose batch-shaped callbacks are timed; those that are asked once a pair of gangs or a
// node class are too quick for a clock.
#pragma once

#include <memory>
#include <string_view>

#include "framework/plugin.h"
#include "server/serve/cycle_times.h"

namespace trellis {

// `clock` must outlive the plugin.
std::unique_ptr<Plugin> timed_plugin(std::unique_ptr<Plugin> plugin, CycleClock& clock);

}  // namespace trellis
