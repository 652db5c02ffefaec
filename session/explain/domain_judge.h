// Judges the candidate domains of one part of a demand: how many of its pods each takes, what each
// is short of, and whether all of them fit.
#pragma once

#include <cstdint>

#include "session/explain/demand_explanation.h"
#include "session/placement/search_budget.h"

namespace trellis {

// Appends the judgements to the explanation.
void judge_domains(Session& session, uint32_t part, SearchBudget& budget,
                   DemandExplanation& explanation);

}  // namespace trellis
