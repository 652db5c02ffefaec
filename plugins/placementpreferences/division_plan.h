// The planned nodes of a service's waiting pods, in the order in which their division places them.
//
// Words: pods that were placed since the plan was made *follow* it when they are its beginning, in
// any order: each node has as many of them as the beginning gives it.
// Cost: O(1) for a pod that is placed or leaves.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "framework/plugin.h"

namespace trellis {

class DivisionPlan {
 public:
  DivisionPlan() = default;
  // A plan for `pods` pods. `sequence`: the nodes, one for each pod that finds room.
  DivisionPlan(const DivisionQuery& query, int64_t pods, std::vector<NodeId> sequence)
      : pod_class_(query.pod_class),
        mode_(query.mode),
        among_(query.nodes.begin(), query.nodes.end()),
        pods_(pods),
        sequence_(std::move(sequence)) {}

  // A pod of the service that counts was placed on the node, or was removed from it.
  void placed(NodeId node);
  void removed(NodeId node);

  // Whether the plan was made for these pods, too, and all placements since then follow it.
  bool answers(const DivisionQuery& query) const;
  // The nodes of the next pods; fewer where there is no more room. REQUIRES: the plan answers a
  // query for these pods.
  std::span<const NodeId> next(int64_t pods) const;

 private:
  void change(NodeId node, int32_t pods);
  // The node that the plan gives to pod number `pods`, counted from 1; kNone: the plan has no such
  // pod.
  NodeId planned(int64_t pods) const;

  PodClassId pod_class_;
  FitMode mode_ = FitMode::Now;
  std::vector<NodeId> among_;  // empty: all
  int64_t pods_ = 0;
  std::vector<NodeId> sequence_;
  int64_t placed_ = 0;
  absl::flat_hash_map<uint32_t, int32_t> astray_;  // by node: pods more than planned, never 0
};

}  // namespace trellis
