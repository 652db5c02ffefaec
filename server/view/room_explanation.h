// Explanations of nodes and domains: for programs, and as text for people.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/view/bar.h"
#include "server/view/text_table.h"
#include "session/explain/room_explanation.h"
#include "session/record/record.h"

namespace trellis {

// {"node","resources","gpus","devices","domains","pods","gangs","pending"}; writes and finishes the
// document.
void write_node_explanation(DocumentWriter& out, const Session& session, const CycleRecord& record,
                            const NodeExplanation& explanation);

// {"topology","level","path","nodes","resources","domains","gangs","pending"}; writes and finishes
// the document.
void write_domain_explanation(DocumentWriter& out, const Session& session,
                              const CycleRecord& record, const DomainExplanation& explanation);

std::string node_explanation_text(const Session& session, const CycleRecord& record,
                                  const NodeExplanation& explanation, Glyphs glyphs,
                                  TableForm form);

std::string domain_explanation_text(const Session& session, const CycleRecord& record,
                                    const DomainExplanation& explanation, Glyphs glyphs,
                                    TableForm form);

}  // namespace trellis
