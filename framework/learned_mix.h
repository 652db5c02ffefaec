// What a scheduler has learned of the pods that its cluster gets, without ids of a vocabulary:
// another scheduler that continues with it decides the same (kind Cycle, podMix).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/pod_shape.h"

namespace trellis {

// Pods that arrived.
struct ArrivedPods {
  PodShape shape;
  double pods = 0;      // old ones count for less
  int64_t present = 0;  // how many of them a scheduler that continues will read again
  bool operator==(const ArrivedPods&) const = default;
};

// Pods that are likely to come.
struct TypicalPod {
  PodShape shape;
  double part = 0;     // of all pods
  double weight = 0;   // of a place for such a pod
  bool large = false;  // not learned: it takes most of a node
  bool operator==(const TypicalPod&) const = default;
};

struct LearnedMix {
  std::vector<std::string> models;   // of GPUs; the bits of GpuModels
  std::vector<ArrivedPods> arrived;  // by shape
  std::vector<TypicalPod> typical;
  int64_t pods = 0;  // that have arrived
  // When so many have arrived, the typical pods and their weights are renewed.
  int64_t next_typical = 0;
  int64_t next_weights = 0;
  bool operator==(const LearnedMix&) const = default;
};

}  // namespace trellis
