// The effective configuration as JSON, with every key. The configuration reader can read it.
#pragma once

#include <string>
#include <vector>

#include "framework/config.h"

namespace trellis {

// One line.
std::string config_json(const Config& config);

// The past usage: queues to GPU-hours, one line.
std::string usage_json(const Config& config);

// The numbers of nodes that files hold: by file, by node, one line.
std::string node_numbers_json(const Config& config);

// "period: 2s", for each value that is not the default, in the order of the file.
std::vector<std::string> config_differences(const Config& config);

}  // namespace trellis
