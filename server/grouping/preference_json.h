// One placement preference as JSON, such as {"spread": {"label": L}}.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "framework/placement_preference.h"
#include "server/document/report.h"

namespace trellis {

struct Vocabulary;

// nullopt: the item is no preference, and `fault` contains what was found and the valid forms.
std::optional<PlacementPreference> parse_preference(const nlohmann::json& item,
                                                    Vocabulary& vocabulary, Finding& fault);

}  // namespace trellis
