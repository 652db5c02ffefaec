// What the room on a node is worth to the pods that are likely to come.
//
// The value is the sum of three terms, in thousandths of a GPU:
// - what can be sold: parts of GPUs at their prices, limited by the CPUs that go with them;
// - for each typical pod, how many of it fit, times its GPUs, times its weight: what the cluster
//   as a whole can hardly take any more is precious;
// - whole nodes: more than linear in what is free on one node. It counts more, the more of the
//   GPUs are requested by pods of several GPUs.
// A pod is best placed where the value falls least.
// Cost: the value of a room O(typical pods); new weights O(different rooms x typical pods).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <vector>

#include "plugins/fragmentation/node_room.h"
#include "plugins/fragmentation/pod_mix.h"
#include "plugins/fragmentation/share_prices.h"

namespace trellis {

// Equal nodes: how many there are, and their room or their capacity.
using RoomCounts = absl::flat_hash_map<NodeRoom, int64_t>;

class RoomValue {
 public:
  // Before anything is known about the pods: only whole nodes count.
  RoomValue() = default;
  // `capacities`: a large pod on each kind of node counts as typical, too.
  RoomValue(std::span<const TypicalPod> pods, const RoomCounts& capacities);

  // Weighs the typical pods by what the rooms of all nodes take of them.
  void weigh(const RoomCounts& rooms);

  double of(const NodeRoom& room) const;

 private:
  // A typical pod's shape; the others of its group are behind it.
  struct Group {
    PodShape devices;  // without CPU and memory
    size_t begin = 0;  // into the columns below
    size_t end = 0;
  };

  double sold(const NodeRoom& room) const;
  double weight_sum(const NodeRoom& room, const Group& group, int64_t most) const;

  SharePrices prices_;
  double cpu_per_gpu_ = 0;  // milli; 0: unknown
  double whole_weight_ = 0.005;
  std::vector<Group> groups_;
  // The typical pods with a GPU, by group.
  std::vector<double> cpu_milli_;
  std::vector<double> memory_bytes_;
  std::vector<double> part_;
  std::vector<double> weight_;  // times its GPUs
};

}  // namespace trellis
