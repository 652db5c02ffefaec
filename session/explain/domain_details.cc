#include "session/explain/domain_details.h"

#include <map>
#include <utility>

#include "session/placement/near_miss.h"

namespace trellis {

std::vector<DomainDetails> look_into(Session& session, const DemandExplanation& explanation,
                                     const LeftOutNodes* left_out) {
  std::map<PodClassId, LeftOutNodes> known;
  auto left_out_of = [&](PodClassId pod_class) -> const LeftOutNodes& {
    if (left_out != nullptr) return *left_out;
    return known.try_emplace(pod_class, session, pod_class, FitMode::Now).first->second;
  };
  std::vector<DomainDetails> details;
  details.reserve(explanation.domains.size());
  for (const DomainJudgement& judgement : explanation.domains) {
    const DemandPart& part = explanation.part_of(judgement);
    PodClassId pod_class = part.rows[judgement.row].pod_class;
    std::span<const NodeId> nodes = nodes_of(session, judgement.domain);
    DomainDetails& found = details.emplace_back();
    found.left_out = left_out_of(pod_class).among(nodes);
    if (judgement.fits || part.mode == FitMode::Future) continue;
    found.limited = limited_nodes(session, pod_class, FitMode::Now, nodes);
    found.remedy = remedy_for(session, explanation, judgement);
  }
  return details;
}

}  // namespace trellis
