// Reads the arguments of a plugin, nested or not, as texts by path.
//
// A plugin names the paths that it reads: `fairSharing`, `scoringStrategy.type`, and for the
// members of a list `scoringStrategy.resources[].name`. Results have the index in the list in their
// path: `scoringStrategy.resources[0].name`. After `=` a path has the form of the value: `bool`,
// `number` (whole, not negative), `decimal` (any number), or words with bars between them. After
// `several:` the value is a list of such words, or a text with commas between them; the result is
// such a text.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "server/config/config_fields.h"
#include "server/document/document.h"

namespace trellis {

// Reports arguments that match no path of `paths`, and values of a wrong form.
std::map<std::string, std::string> read_plugin_arguments(Value arguments,
                                                         ConfigFields::Report& report,
                                                         std::span<const std::string_view> paths);

}  // namespace trellis
