// The rules of the plugin labelscore (plugins/labelscore/labelscore.h), as the configuration has
// them.
#pragma once

#include <string>
#include <vector>

#include "framework/config.h"
#include "server/config/config_fields.h"
#include "server/document/document.h"

namespace trellis {

// Reports rules that have not exactly one source and one measure.
void check_label_score_rules(Value arguments, ConfigFields::Report& report);

// The files that rules name, as they name them; each once.
std::vector<std::string> label_score_files(const Config& config);

}  // namespace trellis
