// quota: the limits that Kueue's ClusterQueues and Cohorts set for their workloads.
//
// A flavor suits a PodSet to one of these degrees, as in Kueue's flavorassigner.go: not for such
// pods, more than the queue could ever have, room after other workloads have left, room now. The
// queue's fungibility chooses between flavors. Turns go by borrowing, priority and time, or with
// `fairSharing` by shares.
// Cost: open O(1); names of a queue are resolved when it is first read.
#pragma once

#include <vector>

#include "framework/plugin.h"
#include "framework/quota_rules.h"
#include "plugins/quota/flavor_choice.h"
#include "plugins/quota/preemption.h"
#include "plugins/quota/queue_plans.h"
#include "plugins/quota/tournament.h"

namespace trellis {

class QuotaPlugin : public Plugin, public QuotaRules {
 public:
  std::string_view name() const override { return "quota"; }
  void open(const View& view, Hooks& hooks) override;

  Reason uncovered(ClusterQueueId queue, std::span<const ResourceAmount> amounts) const override;
  void options(const FlavorAsk& ask, std::vector<FlavorOption>& options) const override;
  Reason reason(const FlavorAsk& ask, const FlavorOption& option) const override;
  bool fits(ClusterQueueId queue, std::span<const QuotaAmount> amounts) const override;
  size_t first(std::span<const WorkloadTurn> turns) const override;
  std::vector<PreemptionAttempt> attempts(const WorkloadTurn& turn) const override;
  bool may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                 const WorkloadVictim& victim) const override;
  bool fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const override;

 private:
  // How a flavor fits a PodSet: the worst of the PodSet's resources.
  struct Verdict {
    FlavorGrade grade{FlavorMode::Fit, 0};
    int borrowing = 0;  // the highest of its resources
    ReasonCode why = ReasonCode::None;
  };

  // Negative: a goes before b. Total.
  int compare(WorkloadId a, WorkloadId b) const;
  const ClusterQueue& queue(ClusterQueueId id) const { return (*view_->cluster_queues)[id]; }
  Verdict verdict(const FlavorAsk& ask, const GroupPlan& plan, uint32_t position) const;
  FlavorGrade grade(const FlavorAsk& ask, QuotaAmount wanted, ReasonCode& why) const;
  bool suits(const FlavorAsk& ask, const GroupPlan& plan, FlavorId flavor) const;
  // The sum of the ask's amount `i` and of what the workload was given before in the same cell.
  QuotaAmount wanted(const FlavorAsk& ask, const GroupPlan& plan, uint32_t position,
                     size_t i) const;
  std::string mismatch(const FlavorAsk& ask, const GroupPlan& plan, FlavorId flavor) const;

  const View* view_ = nullptr;
  mutable QueuePlans plans_;
  mutable QuotaPreemption preemption_;
  mutable Tournament tournament_;
  mutable std::vector<FlavorGrade> grades_;  // of the options of the last ask
};

}  // namespace trellis
