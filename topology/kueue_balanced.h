// Kueue's balanced placement (TASBalancedPlacement): a preferred request is spread over the domains
// of one parent so that the domain with fewest segments gets as many as possible (the *threshold*).
//
// Inner layers of segments do not count here, so that pods for which they leave no room below are
// dropped, as Kueue does. If no balanced placement is found, the ordinary algorithm is used.
// Cost: a pass over all domains from the requested level down, and KueueSubset for two levels.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "topology/kueue_counts.h"
#include "topology/kueue_division.h"
#include "topology/tree.h"

namespace trellis {

// The choice of domains in Kueue's balanced placement: of all sets of a given size that take the
// pods and the leader the one with least room, found by dynamic programming.
//
// Cost: candidates x size of the set x distinct sums of counts; few sums where counts are alike.
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

class KueueBalanced {
 public:
  // `level`: the requested one.
  bool find(const TopologyTree& tree, int level, const KueueCounts& counts, const KueueNeed& need);

  // The result of the last find that succeeded: the domains with what each shall take, their level,
  // and the counts for the division below them.
  std::span<const KueueCandidate> chosen() const { return chosen_; }
  int level() const { return chosen_level_; }
  const KueueCounts& counts() const { return trials_[best_]; }

 private:
  // The result of a greedy choice: the number of domains, and the last of them.
  struct Greedy {
    bool fits = false;
    int64_t domains = 0;
    KueueCandidate last_with_leader;  // no domain: no leader is needed
    KueueCandidate last;              // no domain: all are beside the leader
  };

  void consider(const TopologyTree& tree, DomainId parent, const KueueCounts& counts);
  Greedy prune(const TopologyTree& tree, DomainId parent, const KueueCounts& counts,
               int64_t threshold);
  void prune(const TopologyTree& tree, DomainId domain, int64_t threshold);
  bool choose(const TopologyTree& tree);
  bool choose_upper(const TopologyTree& tree, int64_t size);
  bool choose_lower(int64_t size);
  bool share_out(int64_t size);

  Greedy greedy();  // of list_, which it sorts
  KueueSubsetNeed subset_need(const Greedy& use, int64_t size) const;
  void gather(const KueueCounts& counts, IdRange domains);  // into list_
  void append(const KueueCounts& counts, IdRange domains);
  double evenness(const TopologyTree& tree, DomainId domain);

  KueueNeed need_;
  int level_ = 0;
  bool above_segments_ = false;  // the requested level is above that of the segments

  KueueCounts trials_[2];
  int best_ = 0;
  DomainId parent_;
  int64_t threshold_ = 0;
  int64_t domains_ = 0;

  KueueSubset subset_;
  std::vector<KueueCandidate> list_;
  std::vector<KueueCandidate> chosen_;
  int chosen_level_ = 0;
  struct Even {
    double evenness = 0;
    KueueCandidate candidate;
  };
  std::vector<Even> evenness_;
  std::vector<int64_t> pods_;  // of the children of a domain
};

}  // namespace trellis
