// Answers whether gangs and workloads got a place in a finished cycle, each with its explanation.
#pragma once

#include <vector>

#include "server/explain/explain_answer.h"

namespace trellis {

struct FitQuestion {
  std::vector<GangId> gangs;
  std::vector<WorkloadId> workloads;
};

// Whether all of them have a place, or are promised one. `record` is of the last cycle that the
// engine ran. The text begins with `yes: ` or `no: `; the document is {"fits","gangs":[...],
// "workloads":[...],"evictions":[...]}, each item what `explain` writes, with "fits". Cost: that of
// an explanation for each.
bool answer_fit(const FitQuestion& question, Engine& engine, const CycleRecord& record,
                const AnswerStyle& style, ByteSink& out);

}  // namespace trellis
