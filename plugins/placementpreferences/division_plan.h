// The pods of a service that wait, in the order in which their division places them.
//
// Words: pods that were placed since the plan was made *follow* it when they are its beginning, in
// any order: on each node as many as there.
// Cost: a pod that is placed or leaves O(1).
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
  // For so many pods. `sequence`: the nodes, a pod each, of those that find room.
  DivisionPlan(const DivisionQuery& query, int64_t pods, std::vector<NodeId> sequence)
      : pod_class_(query.pod_class),
        mode_(query.mode),
        among_(query.nodes.begin(), query.nodes.end()),
        pods_(pods),
        sequence_(std::move(sequence)) {}

  // A pod of the service that counts stands on the node, or no longer does.
  void placed(NodeId node);
  void removed(NodeId node);

  // Whether it was made for these pods, too, and all that happened since follows it.
  bool answers(const DivisionQuery& query) const;
  // The nodes of the next pods; fewer where there is no more room. REQUIRES: it answers for them.
  std::span<const NodeId> next(int64_t pods) const;

 private:
  void change(NodeId node, int32_t pods);
  // Of the pods that are placed by then, the last.
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
