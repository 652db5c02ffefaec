// Decodes the configuration file. Keys that are absent keep their defaults.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "framework/config.h"
#include "server/config/config_fields.h"
#include "server/config/number_file.h"
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

// The files of numbers of nodes that a configuration names, read again.
struct NodeNumberReading {
  std::map<std::string, NumbersByName> numbers;  // as in Config::node_numbers
  std::vector<Diagnostic> diagnostics;           // all of them are errors
};
NodeNumberReading read_node_numbers(const std::string& config_file, const Config& config);
// Their paths, relative to the folder of the configuration.
std::vector<std::string> node_number_paths(const std::string& config_file, const Config& config);

// A configuration inside another document; diagnostics have lines and paths of that document.
void read_config_value(Value root, ConfigFields::Report& report, Config& config);

// `file` is the name that diagnostics show.
ConfigReading read_config_text(std::string_view file, std::string_view text);

}  // namespace trellis
