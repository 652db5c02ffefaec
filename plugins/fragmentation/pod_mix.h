// The mix of pods that a cluster gets, learned from the pods that arrive, placed or not.
//
// Old arrivals fade: once a number of pods have arrived, every count is halved. Amounts are
// rounded up, so that similar pods count as one shape. The same arrivals in any order give the same
// counts as long as none fade.
// Cost: arrive() O(log shapes); typical() O(shapes).
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "framework/pod_shape.h"

namespace trellis {

struct TypicalPod {
  PodShape shape;
  double part = 0;  // of all pods
};

class PodMix {
 public:
  void arrive(const PodShape& shape);
  // Since the beginning, faded or not.
  int64_t arrived() const { return arrived_; }
  // The most frequent shapes, pods without GPUs included; their parts add up to 1.
  std::vector<TypicalPod> typical() const;

 private:
  std::map<PodShape, double> counts_;
  double total_ = 0;
  int64_t arrived_ = 0;
};

}  // namespace trellis
