// The explanation of a workload: for programs, and as text for people.
//
// `session` is the one that the explanation was made in.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/text/style.h"
#include "session/explain/workload_explanation.h"
#include "session/record/record.h"

namespace trellis {

// {"namespace","name","admitted",...,"podSets":[...]}; writes and finishes the document.
void write_workload_explanation(DocumentWriter& out, Session& session, const CycleRecord& record,
                                WorkloadId workload, const WorkloadExplanation& explanation);

std::string workload_explanation_text(Session& session, const CycleRecord& record,
                                      WorkloadId workload, const WorkloadExplanation& explanation,
                                      Colours colours);

}  // namespace trellis
