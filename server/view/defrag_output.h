// Shows a plan of moves (actions/defragmentation/move_plan.h).
#pragma once

#include <string>

#include "actions/defragmentation/move_plan.h"
#include "server/document/document_writer.h"
#include "server/view/text_table.h"

namespace trellis {

// Writes and finishes the document.
void write_plan(DocumentWriter& out, const Session& session, const MovePlan& plan);

// The moves, what the room is worth before and after them, and a line that sums up.
std::string plan_text(const Session& session, const MovePlan& plan, TableForm form);

}  // namespace trellis
