// The order in which workloads leave where ClusterQueues share by weight (Kueue's
// fair_strategy.go).
//
// From the top down, the side that has the greatest share loses next. It loses to a workload whose
// queue stays within its quota; else it loses where the shares allow it. The shares are compared at
// the two sides below the lowest Cohort that is above both queues: with S2-a the workload's side
// ends no higher than the loser's, with S2-b it ends lower than the loser's was.
#pragma once

#include <string_view>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/view.h"
#include "plugins/quota/candidates.h"

namespace trellis {

enum class FairStrategy : uint8_t { LessThanOrEqualToFinalShare, LessThanInitialShare };

// Reads names separated by commas; none known: both strategies. The second is tried where the first
// has not made enough room.
std::vector<FairStrategy> parse_fair_strategies(std::string_view names);

// Workloads that would leave, as indexes of candidates, in order.
struct Departures {
  std::vector<uint32_t> order;
  bool fits = false;
};

class FairWalk {
 public:
  // `trial`: the present usages; workloads that leave are taken out of it.
  FairWalk(const View& view, const Contest& contest, std::span<const Candidate> candidates,
           QuotaTrial& trial);

  Departures run(std::span<const FairStrategy> strategies, Until until);

 private:
  // The candidates of a queue; those before `next` are gone.
  struct Candidates {
    std::vector<uint32_t> candidates;
    size_t next = 0;
    bool empty() const { return next == candidates.size(); }
  };

  void sort_in(std::span<const uint32_t> candidates);
  uint32_t pop(QuotaNodeId queue);
  QuotaNodeId next_target();
  QuotaNodeId highest_child(QuotaNodeId cohort);
  bool is_exhausted(QuotaNodeId node, const QuotaShare& share) const;
  bool loses_first(QuotaNodeId a, QuotaNodeId b) const;
  // Each returns whether enough workloads have left.
  bool first_pass(FairStrategy strategy);
  bool second_pass();
  bool lose_by_share(QuotaNodeId queue, FairStrategy strategy);
  bool leave(uint32_t candidate);
  bool fits_now();

  const View& view_;
  const QuotaTree& tree_;
  const Contest& contest_;
  std::span<const Candidate> candidates_;
  QuotaTrial& trial_;
  Until until_ = Until::End;
  QuotaNodeId root_;
  IndexedVector<QuotaNodeId, Candidates> of_queue_;
  IndexedVector<QuotaNodeId, char> exhausted_;
  IndexedVector<QuotaNodeId, char> above_own_;  // Cohorts that the workload's queue is below
  std::vector<uint32_t> spared_;                // candidates that the first strategy did not take
  Departures departures_;
};

// Whether the shares let the candidate leave; the contest's amounts are in the trial.
bool share_allows(const View& view, const Contest& contest, const Candidate& candidate,
                  FairStrategy strategy, QuotaTrial& trial);

}  // namespace trellis
