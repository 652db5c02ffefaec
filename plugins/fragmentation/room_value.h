// What the room on a node is worth to the pods that are likely to come.
//
// The value is the sum of three terms, in thousandths of a GPU:
// - what can be sold: parts of GPUs at their prices, limited by the CPUs that go with them;
// - for each typical pod, how many of it fit, times its GPUs, times its weight: what the cluster
//   as a whole can hardly take any more is precious;
// - whole nodes: more than linear in what is free on one node. It counts more, the more of the
//   GPUs are requested by pods of several GPUs, and the fewer of the free GPUs these can use.
// A pod is best placed where the value falls least.
// Words: a cluster is *worn* where pods have come and gone until few of the free GPUs are of use to
// typical pods. Its gaps are not those of a plan, so that parts of GPUs count by their prices only
// in part, and else by their size.
// Cost: the value of a room O(typical pods), some 0.2 us; new weights O(different rooms x typical
// pods).
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
  // `capacities`: a large pod on each kind of node counts as typical, too. Nothing has a weight
  // yet.
  RoomValue(std::span<const TypicalPod> pods, const RoomCounts& capacities);
  // Of typical() of another.
  explicit RoomValue(std::vector<TypicalPod> typical);

  // Weighs the typical pods by what the rooms of all nodes take of them.
  void weigh(const RoomCounts& rooms);

  double of(const NodeRoom& room) const;

  // The pods with GPUs that count, with their weights.
  std::span<const TypicalPod> typical() const { return typical_; }

 private:
  // Typical pods that differ in CPU and memory only.
  struct Group {
    PodShape devices;  // without CPU and memory
    size_t begin = 0;  // into typical_ and the columns of pods
    size_t end = 0;
  };

  void make_columns();
  void judge_wear();
  double sold(const NodeRoom& room) const;
  // How many of each typical pod fit, one by one, into pod_fits_.
  void count_fits(const NodeRoom& room) const;

  SharePrices prices_;
  double cpu_per_gpu_ = 0;  // milli; 0: unknown
  double several_ = 0;      // part of the GPUs that pods of several GPUs request
  double whole_weight_ = 0.005;
  double priced_ = 1;                // the part that prices have in what can be sold
  std::vector<TypicalPod> typical_;  // sorted by group
  std::vector<Group> groups_;
  // By group, as inverses: of the part of a device, and of the number of devices.
  std::vector<float> whole_places_;  // pods, or devices of pods, on a whole device
  std::vector<float> portion_;
  std::vector<float> devices_;
  // By pod, filled up to whole lanes.
  std::vector<double> cpu_milli_;     // inverse
  std::vector<double> memory_bytes_;  // inverse
  std::vector<double> weight_;
  // What is counted for one room; kept, so that no call allocates memory.
  mutable std::vector<float> group_fits_;
  mutable std::vector<double> pod_fits_;
};

}  // namespace trellis
