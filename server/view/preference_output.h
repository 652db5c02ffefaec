// The groups of nodes that a gang's placement preferences define: for programs, and as text for
// people.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/cycle/session.h"

namespace trellis {

// "preferences":[{"pods","groups":[
//   {"label","path":[...],"nodes","running","room","wanted","given"}]}]
// in the open object; nothing when the gang has no preferences.
void write_preferences(DocumentWriter& out, Session& session, GangId gang);

// One table for each class of pods; "" when the gang has no preferences.
std::string preferences_text(Session& session, GangId gang, Colours colours);

}  // namespace trellis
