// The effective configuration as YAML with comments, which read_config reads back as the same.
#pragma once

#include <string>

#include "framework/config.h"

namespace trellis {

std::string print_config(const Config& config);

}  // namespace trellis
