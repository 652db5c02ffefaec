// The rules of quotas for workloads: which flavors may be tried, which workload goes first, and
// which workloads may be evicted for another. The plugin `quota` implements them; the action
// `admit` calls them.
//
// Amounts are read from the view in the current state of the statement, without those of the
// workload in question: the caller passes what the workload's PodSets were given so far. Every
// method with a queue: REQUIRES that the queue is in the quota tree.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/ids.h"
#include "framework/pod.h"
#include "framework/quota_holding.h"
#include "framework/reason.h"
#include "framework/time.h"

namespace trellis {

// The request of PodSets to one resource group of their ClusterQueue.
struct FlavorAsk {
  ClusterQueueId queue;
  WorkloadId workload;
  size_t group = 0;
  std::span<const PodSpec* const> specs;    // of the pods of each PodSet that shares the flavor
  std::span<const ResourceAmount> amounts;  // of all their pods, of the group's resources
  std::span<const QuotaAmount> taken;       // given to PodSets of the workload before these
  uint64_t left_out = 0;                    // bit i: flavor i of the group is excluded for them
};

// Worst first, as Kueue ranks them.
enum class FlavorMode : uint8_t {
  NoFit,         // more than the queue could ever have or take back, or not for such pods
  NoCandidates,  // others would have to leave, and none may
  Preempt,       // fits once others of its queue are evicted
  Reclaim,       // fits once others of its cohort are evicted
  Fit,
};

struct FlavorOption {
  FlavorId flavor;        // kNone: there is no such flavor
  uint32_t position = 0;  // index in the group
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;  // height of the lowest subtree whose quota covers it; 0: no borrowing
  ReasonCode why = ReasonCode::None;  // why it does not fit now; reason() has the details
};

// A workload that is compared with others for the next turn, with the flavors that were found for
// it.
struct WorkloadTurn {
  WorkloadId workload;
  ClusterQueueId queue;
  int borrowing = 0;                     // the worst of its PodSets
  std::span<const QuotaAmount> amounts;  // of all its PodSets; no cell twice
  // The cells in which others would have to give quota; for PodSets that found no domain, all their
  // cells. Empty: the cells of which not enough is left.
  std::span<const QuotaCellId> contested;
};

enum class PreemptionCause : uint8_t {
  InClusterQueue,
  InCohortReclamation,
  InCohortFairSharing,
  InCohortReclaimWhileBorrowing,
};

std::string_view to_string(PreemptionCause cause);  // Kueue's names

struct WorkloadVictim {
  WorkloadId workload;
  PreemptionCause cause = PreemptionCause::InClusterQueue;
  bool operator==(const WorkloadVictim&) const = default;
};

// One way to preempt: Kueue tries with borrowing and without, in an order that depends on policies.
struct PreemptionAttempt {
  bool borrowing = false;  // the workload may end above its queue's nominal quota
  // The first `in_order` victims are those that Kueue takes, in its order, until the workload fits;
  // each may leave after those before it. The others may be taken instead where may_leave() allows
  // it.
  std::vector<WorkloadVictim> victims;
  size_t in_order = 0;
  std::vector<QuotaCellId> contested;  // those of the turn; may_leave() reads them
};

class QuotaRules {
 public:
  virtual ~QuotaRules() = default;
  // Why the queue has no quota of one of the resources; code None: it has quota of all of them.
  virtual Reason uncovered(ClusterQueueId queue, std::span<const ResourceAmount> amounts) const = 0;
  // The flavors of the group that are not left out, in the order to try them: first the one that
  // Kueue chooses, then the others, best first as the queue's fungibility ranks them; NoFit last.
  // REQUIRES: the amounts are covered by the group. Cost: O(flavors x resources x depth of the
  // cohort tree); where others would have to leave, O(workloads that hold quota in the cohort).
  virtual void options(const FlavorAsk& ask, std::vector<FlavorOption>& options) const = 0;
  // Why the option does not fit now; code None with Fit.
  virtual Reason reason(const FlavorAsk& ask, const FlavorOption& option) const = 0;
  // Whether the queue may take these amounts now.
  virtual bool fits(ClusterQueueId queue, std::span<const QuotaAmount> amounts) const = 0;
  // The index of the turn that goes first: by borrowing, priority and time, or by fair shares.
  // REQUIRES: not empty.
  virtual size_t first(std::span<const WorkloadTurn> turns) const = 0;
  // Which workloads could leave for this one, in the state before any has left.
  virtual std::vector<PreemptionAttempt> attempts(const WorkloadTurn& turn) const = 0;
  // Whether the victim may be taken in the current state, in which those before it have left. In
  // fair sharing that depends on shares, else on whether the victim's queue, or a cohort above it,
  // is still above nominal.
  virtual bool may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                         const WorkloadVictim& victim) const = 0;
  // Whether the turn fits the quotas, with the victims gone that have left so far.
  virtual bool fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const = 0;
};

}  // namespace trellis
