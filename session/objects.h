// What a source hands to the cluster: decoded records, names not resolved yet.
#pragma once

#include <string>
#include <vector>

#include "framework/gang.h"
#include "framework/name_space.h"
#include "framework/node.h"
#include "framework/pod.h"
#include "framework/queue.h"
#include "framework/topology.h"

namespace trellis {

struct PodObject {
  Pod pod;
  PodSpec spec;
};

struct Objects {
  std::vector<NameSpace> name_spaces;
  std::vector<Node> nodes;
  std::vector<PodObject> pods;
  std::vector<Gang> gangs;
  std::vector<Queue> queues;
  std::vector<Topology> topologies;
};

}  // namespace trellis
