// What keeps a demand out of each of its domains besides shortage, and what would help there.
//
// Cost: for each row that is judged a verdict on every node, and for each domain a look at its
// nodes.
#pragma once

#include <vector>

#include "framework/reason.h"
#include "session/explain/demand_explanation.h"
#include "session/explain/left_out.h"
#include "session/explain/remedy.h"

namespace trellis {

struct DomainDetails {
  std::vector<LeftOut> left_out;  // of its nodes
  // Where the pods do not fit, and are not judged as if leaving pods had left:
  VerdictCount limited;  // nodes that take pods, but fewer than their resources would (near_miss.h)
  Remedy remedy;
};

// By domain of the explanation. `left_out`: of the pods that are judged; nullptr: they are of no
// flavor.
std::vector<DomainDetails> look_into(Session& session, const DemandExplanation& explanation,
                                     const LeftOutNodes* left_out = nullptr);

}  // namespace trellis
