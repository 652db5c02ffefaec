// What Kubernetes and KAI demand, said once more and as plainly as possible: over arguments of a
// plan, with strings and maps. Oracles stand on this; nothing of the core is used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "tests/support/plan.h"

namespace trellis::oracle {

using Amounts = std::map<std::string, int64_t>;  // by resource name, in the core's units
using Path = std::vector<std::string>;           // label values, coarsest first

Amounts requests(const PodArgs& pod);  // with pods = 1, without the GPU share
Amounts capacity(const NodeArgs& node);

// Everything that does not depend on what else is on the node.
bool admits(const std::string& name, const NodeArgs& node, const PodArgs& pod);
bool clash(const PortArgs& a, const PortArgs& b);

bool shares(const PodArgs& pod);
// Thousandths of each device; 0 when the node does not say how large its devices are.
int64_t portion(const PodArgs& pod, const NodeArgs& node);

// Values of the labels up to the first that the node lacks.
Path path_of(const NodeArgs& node, const std::vector<std::string>& labels);

// Equal for pods that are equal in all that scheduling reads.
std::string spec_key(const PodArgs& pod);

}  // namespace trellis::oracle
