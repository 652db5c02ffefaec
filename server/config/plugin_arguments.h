// The arguments of a plugin, nested or not, as texts by path.
//
// A plugin names the paths that it reads: `fairSharing`, `scoringStrategy.type`, and for the
// members of a list `scoringStrategy.resources[].name`. What is given is found by the path with its
// place in the list: `scoringStrategy.resources[0].name`. Behind `=` stands what a value may be:
// `bool`, `number` (whole, not negative), or words with bars between them; after `several:` a list
// of such words, or a text that has commas between them, which is how they are found.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "server/config/config_fields.h"
#include "server/document/document.h"

namespace trellis {

// Reports what is under no path of `paths`, and what has the wrong form.
std::map<std::string, std::string> read_plugin_arguments(Value arguments,
                                                         ConfigFields::Report& report,
                                                         std::span<const std::string_view> paths);

}  // namespace trellis
