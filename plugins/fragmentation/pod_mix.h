// The mix of pods that a cluster gets, learned from the pods that arrive, placed or not.
//
// Old arrivals fade: once a number of pods have arrived, every count is halved. Amounts are
// rounded up, so that similar pods count as one shape. The same arrivals in any order, between two
// calls of fade(), give the same counts.
// Cost: arrive() O(log shapes), for a new shape O(shapes); typical() O(shapes x log shapes).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/learned_mix.h"

namespace trellis {

class PodMix {
 public:
  // A pod that is new to the scheduler.
  void arrive(const PodShape& shape);
  // Halves the counts while there are too many.
  void fade();
  // All pods that the cluster had when the mix was saved have arrived again.
  void end_recall();
  // Since the beginning, faded or not.
  int64_t arrived() const { return arrived_; }
  // The most frequent shapes, pods without GPUs included; their parts add up to 1.
  std::vector<TypicalPod> typical() const;

  // Sorted. `present` shapes are those of the cluster's pods.
  std::vector<ArrivedPods> counts(std::span<const PodShape> present) const;
  // Continues with such counts.
  void recall(std::span<const ArrivedPods> counts, int64_t arrived);

 private:
  std::vector<ArrivedPods> counts_;  // sorted; present: not yet arrived again
  double total_ = 0;
  int64_t arrived_ = 0;
};

}  // namespace trellis
