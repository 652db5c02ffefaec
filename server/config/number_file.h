// Past usage of queues: a YAML map of a queue's name to GPU-hours.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/config_fields.h"
#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

using PastUsage = std::map<std::string, double>;  // GPU-hours by queue

struct UsageReading {
  PastUsage usage;
  std::vector<Diagnostic> diagnostics;  // all of them are errors
};

UsageReading read_usage(const std::string& file);

// `file` is the name that diagnostics show.
UsageReading read_usage_text(std::string_view file, std::string_view text);

// The same map inside another document.
void read_usage_value(Value root, ConfigFields::Report& report, PastUsage& usage);

}  // namespace trellis
