// The effective configuration as YAML with comments; read_config reads it back unchanged.
#pragma once

#include <string>

#include "framework/config.h"

namespace trellis {

std::string print_config(const Config& config);

}  // namespace trellis
