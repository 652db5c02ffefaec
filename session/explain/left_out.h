// Nodes that take no pod of a class, or of a PodSet in a flavor, by cause.
//
// Each node has one cause: first what it is (not of the flavor, not Ready, tainted, not selected),
// then the level of the flavor's topology whose label it lacks, then what is left of it. Cost: one
// pass over the nodes when made; among() O(its nodes).
#pragma once

#include <span>
#include <vector>

#include "framework/reason.h"
#include "session/cycle/session.h"
#include "session/placement/near_miss.h"
#include "session/placement/workload_unit.h"

namespace trellis {

struct LeftOut {
  VerdictCount count;
  StrId label;  // of the level, with LevelLabelMissing
  bool operator==(const LeftOut&) const = default;
};

// Whether it is what is left of a node that keeps pods away.
bool is_of_room(ReasonCode code);

class LeftOutNodes {
 public:
  LeftOutNodes(Session& session, PodClassId pod_class, FitMode mode);
  // `set` must outlive it.
  LeftOutNodes(Session& session, const FlavoredPodSet& set, FitMode mode);

  // By node: the pods that it takes.
  const IndexedVector<NodeId, int32_t>& fits() const { return fits_; }
  // Whether only what is left of the node could keep pods away.
  bool is_usable(NodeId node) const;
  // The causes, counted; most nodes first, then by code and name.
  std::vector<LeftOut> among(std::span<const NodeId> nodes) const;

 private:
  struct Cause {
    NodeVerdict verdict;
    StrId label;
    bool operator==(const Cause&) const = default;
  };
  static constexpr size_t kNoCause = SIZE_MAX;

  void find_causes();
  Cause cause_of(NodeId node) const;
  Cause cause_in_flavor(NodeId node) const;
  size_t keep(const Cause& cause);

  Session& session_;
  PodClassId pod_class_;
  const FlavoredPodSet* set_ = nullptr;  // nullptr: of no flavor
  FitMode mode_;
  IndexedVector<NodeId, int32_t> fits_;
  std::vector<Cause> causes_;
  IndexedVector<NodeId, size_t> cause_;  // index; kNoCause: it takes pods
};

}  // namespace trellis
