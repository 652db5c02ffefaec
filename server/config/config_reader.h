// The configuration file, decoded. What it does not name keeps its default.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "server/manifest/diagnostic.h"

namespace trellis {

struct ConfigReading {
  Config config;                        // sound in itself, also when there are errors
  std::vector<Diagnostic> diagnostics;  // errors all; by line
};

ConfigReading read_config(const std::string& file);

// `file` is the name that diagnostics show.
ConfigReading read_config_text(std::string_view file, std::string_view text);

}  // namespace trellis
