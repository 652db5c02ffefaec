// Finds the workloads that leave for a workload, and whether that would help (Kueue's
// preemption.go).
//
// Every simulation copies the row of usages: O(nodes x cells) once, then O(depth) for each workload
// that leaves.
#pragma once

#include <vector>

#include "framework/quota_rules.h"
#include "framework/view.h"
#include "plugins/quota/candidates.h"
#include "plugins/quota/fair_walk.h"
#include "plugins/quota/flavor_choice.h"

namespace trellis {

class QuotaPreemption {
 public:
  // Without strategies ClusterQueues do not share by weight.
  void open(const View& view, std::vector<FairStrategy> strategies);

  bool shares_fairly() const { return !strategies_.empty(); }
  // The grade, after candidates have left, of an amount that does not fit now.
  FlavorGrade grade_with_others_gone(ClusterQueueId queue, WorkloadId workload, QuotaAmount amount);

  std::vector<PreemptionAttempt> attempts(const WorkloadTurn& turn);
  bool may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                 const WorkloadVictim& victim) const;
  bool fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const;

 private:
  std::vector<Candidate> candidates(const Contest& contest);
  // The kinds of borrowing, in the order in which they are tried.
  std::vector<Borrowing> ways(const Contest& contest, std::span<const Candidate> candidates) const;
  Departures departures(const Contest& contest, std::span<const Candidate> candidates,
                        Borrowing borrowing, Until until, QuotaTrial& trial) const;
  Departures classical_departures(const Contest& contest, std::span<const Candidate> candidates,
                                  Borrowing borrowing, Until until, QuotaTrial& trial) const;
  // Whether the candidate's queue still borrows, and each Cohort between it and the lowest Cohort
  // above both queues.
  bool still_borrows(const Contest& contest, const Candidate& candidate, QuotaUsage usage) const;
  bool may_lose_share(const Contest& contest, const Candidate& candidate) const;
  // Brings back candidates that need not leave, the last to leave first.
  void fill_back(const Contest& contest, std::span<const Candidate> candidates, Borrowing borrowing,
                 std::vector<uint32_t>& order, QuotaTrial& trial) const;
  std::span<const QuotaAmount> held_by(const Candidate& candidate) const {
    return (*view_->quota_holdings)[candidate.workload].amounts;
  }

  const View* view_ = nullptr;
  std::vector<FairStrategy> strategies_;
  QuotaHolders holders_;
};

}  // namespace trellis
