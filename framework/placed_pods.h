// How many pods of each class are on each node, for plugins whose answers depend on it.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/node_state.h"
#include "framework/presence.h"

namespace trellis {

struct PodCount {
  int64_t stays = 0;
  int64_t leaves = 0;
  int64_t promised = 0;
  int64_t spares = 0;

  void add(Presence presence, int64_t change) {
    if (presence == Presence::Stays) stays += change;
    if (presence == Presence::Leaves || presence == Presence::Evicted) leaves += change;
    if (presence == Presence::Promised) promised += change;
    if (presence == Presence::Spare) spares += change;
  }
  void add(const PodCount& other, int64_t times) {
    stays += times * other.stays;
    leaves += times * other.leaves;
    promised += times * other.promised;
    spares += times * other.spares;
  }
  // Pods that count for affinity.
  int64_t present(FitMode mode) const { return stays + (mode == FitMode::Now ? leaves : promised); }
  // Pods that count for anti-affinity: promised ones and spares always do.
  int64_t in_the_way(FitMode mode) const {
    return stays + promised + spares + (mode == FitMode::Now ? leaves : 0);
  }
  bool empty() const { return stays == 0 && leaves == 0 && promised == 0 && spares == 0; }
  bool operator==(const PodCount&) const = default;
};

class PlacedPods {
 public:
  using ByNode = absl::flat_hash_map<uint32_t, PodCount>;  // summed up, in no order

  void add(PodClassId pod_class, NodeId node, Presence presence, int64_t change) {
    if (!counts_.contains(pod_class)) counts_.resize(pod_class.value + 1);
    ByNode& nodes = counts_[pod_class];
    PodCount& count = nodes[node.value];
    count.add(presence, change);
    if (count.empty()) nodes.erase(node.value);
  }
  const ByNode& of(PodClassId pod_class) const {
    static const ByNode kNowhere;
    return counts_.contains(pod_class) ? counts_[pod_class] : kNowhere;
  }

 private:
  IndexedVector<PodClassId, ByNode> counts_;
};

}  // namespace trellis
