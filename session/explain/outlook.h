// What a part of a gang could have where no domain of its required level takes it.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "session/explain/gang_explanation.h"

namespace trellis {

struct PartOutlook {
  int64_t needed = 0;
  DomainRef largest;  // of the required level: the one with most nodes
  int64_t largest_nodes = 0;
  int64_t if_empty = 0;  // pods that a domain of the level would take at the most, were it empty
  int64_t at_most = 0;   // if as many nodes as the largest has were all like the best
  DomainRef above;       // the nearest level above where one takes the pods: the best; or none
  int levels_up = 0;
  int64_t above_pods = 0;
  bool anywhere = false;  // the whole topology takes them: a preferred level would do
};

// By count. None where the part requires no level, where a domain of it takes the part, or where
// pods of it already have nodes. Cost: a pass over the nodes for each row.
std::optional<PartOutlook> outlook_of(Session& session, const GangExplanation& explanation,
                                      uint32_t part);

}  // namespace trellis
