#include "session/explain/demand_explanation.h"

#include <utility>

#include "session/cycle/scheduler.h"
#include "session/explain/domain_judge.h"

namespace trellis {

int64_t DemandExplanation::largest_of(const Session& session,
                                      const DomainJudgement& judgement) const {
  if (!judgement.domain.topology.valid()) return 0;
  int level = session.snapshot().tree(judgement.domain.topology).level_of(judgement.domain.domain);
  for (const LevelSize& size : levels) {
    if (size.topology == judgement.domain.topology && size.level == level) return size.nodes;
  }
  return 0;
}

const DomainJudgement* DemandExplanation::nearest_miss(const Session& session,
                                                       uint32_t part) const {
  const DomainJudgement* nearest = nullptr;
  auto distance = [&](const DomainJudgement& judgement) {
    return std::pair(is_node(session, judgement.domain),
                     judgement.needed - judgement.allocatable_pods);
  };
  for (const DomainJudgement& judgement : domains) {
    if (judgement.part != part || judgement.fits) continue;
    if (nearest == nullptr || distance(judgement) < distance(*nearest)) nearest = &judgement;
  }
  return nearest;
}

DemandExplanation explain_gang(Session& session, GangId gang) {
  DemandExplanation explanation;
  explanation.parts = gang_parts(session, gang);
  SearchBudget budget(session.snapshot(), session.config().limits.search_budget);
  for (uint32_t i = 0; i < explanation.parts.size(); ++i) {
    judge_domains(session, i, budget, explanation);
  }
  return explanation;
}

DemandExplanation explain_gang(Scheduler& scheduler, GangId gang) {
  return explain_gang(scheduler.reopen_without(gang), gang);
}

}  // namespace trellis
