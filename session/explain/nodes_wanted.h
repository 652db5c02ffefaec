// How many more nodes the waiting gangs want, by the amounts that one of their pods requests and by
// the domain that the nodes would have to be in.
//
// Of a gang those pods count for which no room was found, in the domain that its reason names; a
// node takes as many of them as the best node of the cluster would if it were empty, or one where
// no node would take any. Of pods that differ the class with most waiting pods counts.
// Cost: O(gangs and their pods), and one pass over the nodes for each class that counts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/ids.h"
#include "session/cycle/session.h"
#include "session/record/record.h"

namespace trellis {

struct NodesWanted {
  PodClassId pod_class;
  std::string topology;             // "": any node of the cluster would do
  std::vector<std::string> domain;  // a path
  int64_t nodes = 0;
};

// By the first gang that wants them.
std::vector<NodesWanted> nodes_wanted(Session& session, const CycleRecord& record);

}  // namespace trellis
