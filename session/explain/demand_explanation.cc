#include "session/explain/demand_explanation.h"

#include <algorithm>
#include <utility>

#include "session/explain/domain_judge.h"
#include "session/placement/mixed_search.h"

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

bool DemandExplanation::fits_nowhere(uint32_t part) const {
  return std::none_of(domains.begin(), domains.end(), [part](const DomainJudgement& judgement) {
    return judgement.part == part && judgement.fits;
  });
}

namespace {

// Counts of pods that differ are an upper bound only: the pods are placed, and rolled back.
class GangProof {
 public:
  explicit GangProof(Session& session)
      : session_(session), budget_(session.snapshot(), session.config().limits.search_budget) {}

  Proof of(const DemandPart& part, DomainRef domain) {
    bool sees_all = !part.by_count && (part.segments.empty() || part.rows.size() == 1);
    Proof placed = part.rows.size() > 1 ? place(part, domain) : Proof::Fits;
    return placed == Proof::Fits && !sees_all ? Proof::Unknown : placed;
  }

 private:
  Proof place(const DemandPart& part, DomainRef domain) {
    std::vector<SearchRow> rows;
    for (const AskedRow& row : part.rows) {
      if (static_cast<int64_t>(row.waiting.size()) != row.pods) return Proof::Unknown;
      rows.push_back({row.pod_class, row.waiting});
    }
    if (budget_.exhausted()) return Proof::Unknown;
    NodeGroup group;
    group.topology = domain.topology;
    group.domain = domain.domain;
    group.exact = false;
    group.parts.push_back({nodes_of(session_, domain), part.pods()});
    auto checkpoint = session_.statement().checkpoint();
    bool placed = MixedSearch(session_, budget_).place(rows, group);
    session_.statement().rollback(checkpoint);
    if (placed) return Proof::Fits;
    return budget_.exhausted() ? Proof::Unknown : Proof::FitsNot;
  }

  Session& session_;
  SearchBudget budget_;
};

}  // namespace

DemandExplanation explain_gang(Session& session, GangId gang) {
  DemandExplanation explanation;
  explanation.parts = gang_parts(session, gang);
  GangProof proof(session);
  for (uint32_t i = 0; i < explanation.parts.size(); ++i) {
    JudgeRules rules;
    rules.prove = [&](const DomainJudgement& judgement) {
      return proof.of(explanation.parts[i], judgement.domain);
    };
    judge_domains(session, i, rules, explanation);
  }
  return explanation;
}

}  // namespace trellis
