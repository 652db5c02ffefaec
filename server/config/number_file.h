// Files of numbers by name: a map in YAML or JSON. Past usage of queues (GPU-hours by queue), and
// numbers of nodes for the plugin labelscore.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/config_fields.h"
#include "server/document/diagnostic.h"
#include "server/document/document.h"

namespace trellis {

using NumbersByName = std::map<std::string, double>;

// What the file holds, for diagnostics.
struct NumberForm {
  std::string_view map;     // "a map of queues to GPU-hours"
  std::string_view number;  // "GPU-hours, a number of at least 0"
  std::string_view file;    // "a file of past usage (queues.usage)"
  bool may_be_negative = false;
};

inline constexpr NumberForm kUsageForm = {"a map of queues to GPU-hours",
                                          "GPU-hours, a number of at least 0",
                                          "a file of past usage (queues.usage)"};
inline constexpr NumberForm kNodeNumberForm = {
    "a map of nodes to numbers", "a number", "a file of numbers by node (plugin labelscore)", true};

struct NumberReading {
  NumbersByName numbers;
  std::vector<Diagnostic> diagnostics;  // all of them are errors
};

NumberReading read_numbers(const std::string& file, const NumberForm& form);

// `file` is the name that diagnostics show.
NumberReading read_numbers_text(std::string_view file, std::string_view text,
                                const NumberForm& form);

// The same map inside another document.
void read_numbers_value(Value root, ConfigFields::Report& report, const NumberForm& form,
                        NumbersByName& numbers);

}  // namespace trellis
