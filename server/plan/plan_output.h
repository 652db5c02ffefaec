// Plans of nodes as tables, as JSON, and as one HTML file that needs no other.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/engine/engine.h"
#include "server/plan/plan.h"
#include "server/text/byte_sink.h"
#include "server/view/text_table.h"

namespace trellis {

// Equal nodes of one place and for the same gangs in a row; then what they come to, and which gangs
// they do not help.
std::string plan_table(const Engine& engine, const NodePlan& plan, TableForm form);

// {"kind":"Plan","price","lowerBound","proved","shapes":[{"name","price","count"}],
// "nodes":[{"name","shape","price","place","newDomain","gangs":[{"namespace","name","pods"}]}],
// "gangs":[{"namespace","name","pods","placement"}],"refused":[{"namespace","name","reasons"}]}
void write_plan(DocumentWriter& out, const Engine& engine, const NodePlan& plan);

void write_plan_page(ByteSink& sink, const Engine& engine, const NodePlan& plan);

}  // namespace trellis
