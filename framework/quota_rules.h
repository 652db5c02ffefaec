// What quotas say about workloads: which flavors may be tried, who goes first, and who may be told
// to leave for whom. The plugin `quota` answers; the action `admit` asks.
//
// Amounts are read from the view as they stand in the statement, without those of the workload that
// the question is about: what its PodSets were given so far comes with the question.
// Every question about a queue: REQUIRES that it is in the quota tree.
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

// What PodSets ask of one resource group of their ClusterQueue.
struct FlavorAsk {
  ClusterQueueId queue;
  WorkloadId workload;
  size_t group = 0;
  std::span<const PodSpec* const> specs;    // of the pods of each PodSet that shares the flavor
  std::span<const ResourceAmount> amounts;  // of all their pods, of the group's resources
  std::span<const QuotaAmount> taken;       // given to PodSets of the workload before these
  uint64_t left_out = 0;                    // bit i: flavor i of the group is not for them anyway
};

// Worst first, as Kueue ranks them.
enum class FlavorMode : uint8_t {
  NoFit,         // more than the queue could ever have or take back, or not for such pods
  NoCandidates,  // others would have to leave, and none may
  Preempt,       // with others of its queue gone
  Reclaim,       // with others of its cohort gone
  Fit,
};

struct FlavorOption {
  FlavorId flavor;     // kNone: there is no such flavor
  uint32_t place = 0;  // in the group
  FlavorMode mode = FlavorMode::NoFit;
  int borrowing = 0;  // height of the lowest subtree whose quota covers it; 0: no borrowing
  ReasonCode why = ReasonCode::None;  // it does not fit as things stand; reason() says more
};

// A workload in line, with the flavors that were found for it.
struct WorkloadTurn {
  WorkloadId workload;
  ClusterQueueId queue;
  int borrowing = 0;                     // the worst of its PodSets
  std::span<const QuotaAmount> amounts;  // of all its PodSets; no cell twice
  // Cells of which others would have to give; of PodSets that found no domain: all of theirs.
  // Empty: those of which not enough is left.
  std::span<const QuotaCellId> contested;
};

enum class PreemptionCause : uint8_t {
  InClusterQueue,
  InCohortReclamation,
  InCohortFairSharing,
  InCohortReclaimWhileBorrowing,
};

std::string_view to_string(PreemptionCause cause);  // Kueue's words

struct WorkloadVictim {
  WorkloadId workload;
  PreemptionCause cause = PreemptionCause::InClusterQueue;
  bool operator==(const WorkloadVictim&) const = default;
};

// One way to preempt: Kueue tries with borrowing and without, in an order that depends on policies.
struct PreemptionAttempt {
  bool borrowing = false;  // the workload may end above its queue's nominal quota
  // The first `in_order` are those that Kueue takes, in its order, until the workload fits; each
  // may leave after those before it. The others may be taken in their stead where may_leave().
  std::vector<WorkloadVictim> victims;
  size_t in_order = 0;
  std::vector<QuotaCellId> contested;  // the turn's; what may_leave() goes by
};

class QuotaRules {
 public:
  virtual ~QuotaRules() = default;
  // Why the queue has no quota of one of the resources; code None: it has of all.
  virtual Reason uncovered(ClusterQueueId queue, std::span<const ResourceAmount> amounts) const = 0;
  // The flavors of the group that are not left out, in the order to try them: first the one that
  // Kueue chooses, then the others, best first as the queue's fungibility ranks them; NoFit last.
  // REQUIRES: the amounts are covered by the group. Cost: O(flavors x resources x depth of the
  // cohort tree); where others would have to leave, O(workloads that hold quota in the cohort).
  virtual void options(const FlavorAsk& ask, std::vector<FlavorOption>& options) const = 0;
  // Why the option does not fit as things stand; code None with Fit.
  virtual Reason reason(const FlavorAsk& ask, const FlavorOption& option) const = 0;
  // Whether the queue may take these amounts as things stand.
  virtual bool fits(ClusterQueueId queue, std::span<const QuotaAmount> amounts) const = 0;
  // The index of the turn that goes first: by borrowing, priority and time, or by fair shares.
  // REQUIRES: not empty.
  virtual size_t first(std::span<const WorkloadTurn> turns) const = 0;
  // Which workloads could leave for this one, as things stand before any has left.
  virtual std::vector<PreemptionAttempt> attempts(const WorkloadTurn& turn) const = 0;
  // Whether the victim may be taken, as things stand with those before it gone; in fair sharing
  // that depends on shares, else on whether its queue, or a cohort above it, is still above
  // nominal.
  virtual bool may_leave(const WorkloadTurn& turn, const PreemptionAttempt& attempt,
                         const WorkloadVictim& victim) const = 0;
  // Whether the turn fits the quotas with those gone that have left.
  virtual bool fits_after(const WorkloadTurn& turn, const PreemptionAttempt& attempt) const = 0;
};

}  // namespace trellis
