// The configuration file, decoded. What it does not name keeps its default.
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
  Config config;                        // sound in itself, also when there are errors
  std::vector<Diagnostic> diagnostics;  // by line
  bool has_errors() const;
};

// With the file of past usage that it names (queues.usage, relative to the configuration's folder).
ConfigReading read_config(const std::string& file);

// A configuration that stands inside another document, with lines and paths of that document.
void read_config_value(Value root, ConfigFields::Report& report, Config& config);

// `file` is the name that diagnostics show.
ConfigReading read_config_text(std::string_view file, std::string_view text);

}  // namespace trellis
