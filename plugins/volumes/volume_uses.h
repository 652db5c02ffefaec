// What the pods on each node use of volumes: attached volumes, disks, claims for one pod alone.
//
// Cost: a placement O(volumes of the pod); a question O(volumes on the node).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "framework/node.h"
#include "framework/placed_pods.h"
#include "framework/volumes.h"

namespace trellis {

class VolumeUses {
 public:
  void change(const PodVolumes& volumes, NodeId node, Presence presence, int64_t by);

  // How many pods with these volumes the node can take by its drivers' limits; `most`: at most.
  int64_t attachable(const PodVolumes& volumes, NodeId id, const Node& node, FitMode mode,
                     int64_t most) const;
  // Whether a pod on the node has a disk that the pod cannot share.
  bool has_disk(const PodVolumes& volumes, NodeId node, FitMode mode) const;
  // Whether a pod on any node uses a claim that the pod wants alone.
  bool in_use(const PodVolumes& volumes, FitMode mode) const;

 private:
  struct OnNode {
    std::map<VolumeHandle, PodCount> attached;
    std::map<StrId, PodCount> waiting;  // claims without a name, by driver
    std::vector<std::pair<InlineDisk, PodCount>> disks;
  };

  absl::flat_hash_map<uint32_t, OnNode> nodes_;     // by node; never iterated
  absl::flat_hash_map<uint32_t, PodCount> claims_;  // by the claim's name; never iterated
};

// Whether two pods on one node cannot both have their disk.
bool collide(const InlineDisk& a, const InlineDisk& b);

}  // namespace trellis
