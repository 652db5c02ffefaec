// One placement preference as JSON: {"spread": {"label": L}} and its like.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "framework/placement_preference.h"
#include "server/document/report.h"

namespace trellis {

struct Vocabulary;

// nullopt: it is none, and `fault` says what was found and which forms there are.
std::optional<PlacementPreference> parse_preference(const nlohmann::json& item,
                                                    Vocabulary& vocabulary, Finding& fault);

}  // namespace trellis
