// Judges the candidate domains of one part of a demand: how many of its pods each takes, what each
// is short of, and whether all of them fit.
#pragma once

#include <cstdint>
#include <functional>

#include "session/explain/demand_explanation.h"
#include "session/explain/left_out.h"
#include "topology/domain_counts.h"

namespace trellis {

enum class Proof : uint8_t { Fits, FitsNot, Unknown };

// How the owner of a demand judges, beyond counts.
struct JudgeRules {
  // Whether all pods fit in a domain that takes them by count.
  std::function<Proof(const DomainJudgement&)> prove;
  // The pods of a row that each domain takes; empty: as the fit cache counts them.
  std::function<DomainCounts(const AskedRow& row, FitMode mode)> counts = {};
  // Where only usable nodes count when a resource is short; nullptr: all nodes do.
  const LeftOutNodes* left_out = nullptr;
};

// Appends the judgements to the explanation.
void judge_domains(Session& session, uint32_t part, const JudgeRules& rules,
                   DemandExplanation& explanation);

}  // namespace trellis
