// Explanations of pods and gangs: for programs, and for eyes.
#pragma once

#include <string>
#include <vector>

#include "server/output/document_writer.h"
#include "server/output/style.h"
#include "session/cluster.h"
#include "session/explain.h"
#include "session/record.h"

namespace trellis {

// {"pod","nodes":[...],"domains":[...]}; writes and finishes the document.
void write_pod_explanation(DocumentWriter& out, const Cluster& cluster, PodId pod,
                           const PodExplanation& explanation);

// {"gang","status","reasons":[...],"domains":[...]}; writes and finishes the document.
void write_gang_explanation(DocumentWriter& out, const Cluster& cluster, const CycleRecord& record,
                            GangId gang, const std::vector<DomainJudgement>& domains);

std::string pod_explanation_text(const Cluster& cluster, const CycleRecord& record, PodId pod,
                                 const PodExplanation& explanation, Colours colours);

std::string gang_explanation_text(const Cluster& cluster, const CycleRecord& record, GangId gang,
                                  const std::vector<DomainJudgement>& domains, Colours colours);

}  // namespace trellis
