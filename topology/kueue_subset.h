// The choice of domains in Kueue's balanced placement: of all sets of a given size that take the
// pods and the leader the one with least room, found by dynamic programming.
//
// Cost: candidates x size of the set x distinct sums of counts; few sums where counts are alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "topology/kueue_counts.h"

namespace trellis {

struct KueueSubsetNeed {
  int64_t pods = 0;
  int64_t leaders = 0;  // 0 or 1
  size_t domains = 0;   // exactly
};

class KueueSubset {
 public:
  // Of equally good sets, chooses the one that comes first in the order of `candidates`. False: no
  // set fits.
  bool find(std::span<const KueueCandidate> candidates, const KueueSubsetNeed& need,
            std::vector<KueueCandidate>& chosen);

 private:
  // The pods that are left after some choices; the last choice and those before it are a chain.
  struct State {
    int64_t pods = 0;
    uint32_t last = 0;  // in chain_
  };
  struct Link {
    uint32_t candidate = 0;
    uint32_t before = 0;
  };
  using States = std::vector<State>;  // by pods, none twice

  States& states(size_t domains, int64_t leaders) {
    return states_[2 * domains + static_cast<size_t>(leaders)];
  }
  void choose(std::span<const KueueCandidate> candidates, uint32_t index, size_t domains);
  void extend(std::span<const State> from, States& to, int64_t taken, uint32_t candidate);

  std::vector<States> states_;
  std::vector<Link> chain_;
  States merged_;
};

}  // namespace trellis
