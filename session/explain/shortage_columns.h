// What the nodes of a domain could give, a resource at a time, as sums over any range of nodes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/resources.h"
#include "session/cycle/session.h"
#include "topology/tree.h"

namespace trellis {

class LeftOutNodes;
struct Shortage;

// How many pods the nodes could take if they requested one resource only, refusals ignored.
// Cost: count() a pass over the nodes; in() O(1).
class PodColumn {
 public:
  PodColumn(const Session& session, const TopologyTree& tree) : session_(session), tree_(tree) {}

  // Of usable nodes only; nullptr: of all.
  void count(ResourceAmount request, FitMode mode, const LeftOutNodes* left_out);
  int64_t in(IdRange nodes) const { return sums_[nodes.last] - sums_[nodes.first]; }

 private:
  const Session& session_;
  const TopologyTree& tree_;
  std::vector<int64_t> sums_;  // before each position of the tree's order
};

// How much of a resource is free.
class AmountColumn {
 public:
  AmountColumn(const Session& session, const TopologyTree& tree) : session_(session), tree_(tree) {}

  void sum_up(ResourceId resource, FitMode mode);
  int64_t in(IdRange nodes) const { return sums_[nodes.last] - sums_[nodes.first]; }

 private:
  const Session& session_;
  const TopologyTree& tree_;
  std::vector<int64_t> sums_;
};

struct NodesAsked {
  PodClassId pod_class;
  FitMode mode = FitMode::Now;
  std::span<const NodeId> nodes;
  int64_t needed = 0;  // pods
};

// Where each resource suffices by itself: the resource that most of the nodes run out of first.
// None when the nodes could take the pods, refusals ignored.
std::optional<Shortage> narrowest_resource(Session& session, const NodesAsked& asked);

// Parts of GPUs that pods of a sharing class lack. None when the class shares no GPU.
std::optional<Shortage> shared_gpu_shortage(Session& session, const NodesAsked& asked);

}  // namespace trellis
