// Decodes the configuration file. Keys that are absent keep their defaults.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "server/config/config_fields.h"
#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

struct ConfigReading {
  Config config;                        // valid, also when there are errors
  std::vector<Diagnostic> diagnostics;  // by line
  bool has_errors() const;
};

// Also reads the files that the configuration names, relative to its folder: past usage
// (queues.usage), and numbers of nodes (plugins.labelscore).
ConfigReading read_config(const std::string& file);

// A configuration inside another document; diagnostics have lines and paths of that document.
void read_config_value(Value root, ConfigFields::Report& report, Config& config);

// `file` is the name that diagnostics show.
ConfigReading read_config_text(std::string_view file, std::string_view text);

}  // namespace trellis
