// How many pods of a class a node would take if nothing were on it.
#pragma once

#include <cstdint>

#include "session/cycle/session.h"

namespace trellis {

class EmptyNodes {
 public:
  EmptyNodes(Session& session, PodClassId pod_class);

  // 0: the node refuses the pods, whatever is on it. Exact for an empty node, else by its
  // resources.
  int64_t fit(NodeId node);

 private:
  int64_t by_resources(NodeId node) const;

  Session& session_;
  PodClassId pod_class_;
  const PodSpec& spec_;
};

}  // namespace trellis
