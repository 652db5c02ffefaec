// Shows where a gang is placed and why, and for a gang without a place what alternatives exist: for
// programs, and as text for people.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "session/explain/gang_explanation.h"
#include "session/record/record.h"

namespace trellis {

// Two lines for each part of the gang that has pods on nodes.
std::string standing_text(Session& session, const CycleRecord& record, GangId gang,
                          const GangExplanation& explanation);

// "stands":[{"subgroup","topology","level","path","nodes":[{"name","pods"}],"why"}] in the open
// object; nothing where no pod has a node.
void write_standing(DocumentWriter& out, Session& session, const CycleRecord& record, GangId gang,
                    const GangExplanation& explanation);

// Whether a domain could be large enough, which level above would be, and which gangs would have to
// leave.
std::string outlook_text(Session& session, const GangExplanation& explanation);

// "outlook":[{"subgroup","largestNodes","ifEmpty","above":{...},"preferredWouldDo",
//   "inTheWay":{...}}]
// in the open object; nothing where every part fits.
void write_outlook(DocumentWriter& out, Session& session, const GangExplanation& explanation);

}  // namespace trellis
