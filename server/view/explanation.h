// Explanations of pods, gangs and workloads: for programs, and as text for people.
//
// REQUIRES: `session` is the one that made the explanation, unchanged since.
#pragma once

#include <string>

#include "server/document/document_writer.h"
#include "server/view/text_table.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/pod_explanation.h"
#include "session/explain/workload_explanation.h"
#include "session/record/record.h"

namespace trellis {

// {"pod","nodes":[...],"domains":[...]}; writes and finishes the document.
void write_pod_explanation(DocumentWriter& out, Session& session, PodId pod,
                           const PodExplanation& explanation);

// {"gang","status","reasons":[...],"domains":[...]}
void write_gang_explanation(DocumentWriter& out, Session& session, const CycleRecord& record,
                            GangId gang, const DemandExplanation& explanation);

std::string pod_explanation_text(Session& session, const CycleRecord& record, PodId pod,
                                 const PodExplanation& explanation, TableForm form);

std::string gang_explanation_text(Session& session, const CycleRecord& record, GangId gang,
                                  const DemandExplanation& explanation, TableForm form);

// {"namespace","name","admitted",...,"podSets":[...]}
void write_workload_explanation(DocumentWriter& out, Session& session, const CycleRecord& record,
                                WorkloadId workload, const WorkloadExplanation& explanation);

std::string workload_explanation_text(Session& session, const CycleRecord& record,
                                      WorkloadId workload, const WorkloadExplanation& explanation,
                                      TableForm form);

}  // namespace trellis
