// The groups of nodes that a gang's placement preferences make: for programs, and for eyes.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/cycle/session.h"

namespace trellis {

// "preferences":[{"pods","groups":[{"label","path":[...],"nodes","running","room","wanted","given"}]}]
// in the open object; nothing where the gang has none.
void write_preferences(DocumentWriter& out, Session& session, GangId gang);

// A table a class of pods; "" where the gang has no preferences.
std::string preferences_text(Session& session, GangId gang, Colours colours);

}  // namespace trellis
