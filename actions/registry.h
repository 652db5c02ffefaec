// The actions by name.
#pragma once

#include <string_view>
#include <vector>

#include "framework/config.h"
#include "session/cycle/action.h"

namespace trellis {

// Every name that a configuration may list, in the order in which they run by default.
std::vector<std::string_view> action_names();

// The actions that config.actions lists, in its order.
std::vector<Action> make_actions(const Config& config);

}  // namespace trellis
