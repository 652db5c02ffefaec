// The groups of nodes that placement preferences define: for programs, and as text for
// people.
#pragma once

#include <span>
#include <string>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/explain/placement_groups.h"

namespace trellis {

// "preferences":[{"pods","groups":[
//   {"label","path":[...],"nodes","running","room","wanted","given"}]}]
// in the open object; nothing without preferences.
void write_preferences(DocumentWriter& out, const StringTable& strings,
                       std::span<const PlacementGroups> divided);

// One table for each class of pods; "" without preferences.
std::string preferences_text(const StringTable& strings, std::span<const PlacementGroups> divided,
                             TableForm form);

}  // namespace trellis
