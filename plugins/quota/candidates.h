// Workloads that may leave for another workload, by the policies of its ClusterQueue (Kueue's
// hierarchical_preemption.go).
#pragma once

#include <span>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/quota_arithmetic.h"
#include "framework/quota_holding.h"
#include "framework/quota_rules.h"
#include "framework/quota_tree.h"
#include "framework/view.h"

namespace trellis {

// A workload that needs the quota of other workloads, and a trial in which those are evicted.
struct Contest {
  WorkloadId workload;
  ClusterQueueId queue;
  QuotaNodeId node;                        // of the queue
  std::span<const QuotaAmount> amounts;    // that the workload requests
  std::span<const QuotaCellId> contested;  // cells that others would have to give quota of
};

enum class Borrowing : uint8_t { Allowed, Forbidden };
enum class Until : uint8_t { Fit, End };

// Whether the contest's amounts fit its queue; with Forbidden: and keep the queue within its quota.
bool fits(const QuotaTree& tree, QuotaUsage usage, const Contest& contest, Borrowing borrowing);

// Whether the node uses no more than its quota of each of the cells.
bool within_quota(const QuotaTree& tree, QuotaUsage usage, QuotaNodeId node,
                  std::span<const QuotaCellId> cells);

// The children of the lowest Cohort above both queues: the one above queue a and the one above b.
struct Sides {
  QuotaNodeId a;
  QuotaNodeId b;
};
// REQUIRES: different queues of one tree.
Sides sides(const QuotaTree& tree, QuotaNodeId a, QuotaNodeId b);

// Usages as they would be after trial changes.
class QuotaTrial {
 public:
  QuotaTrial(const QuotaTree& tree, QuotaUsage usage)
      : tree_(tree), usage_(usage.begin(), usage.end()) {}

  QuotaUsage usage() const { return usage_; }
  void add(QuotaNodeId node, std::span<const QuotaAmount> amounts) { change(node, amounts, 1); }
  void take(QuotaNodeId node, std::span<const QuotaAmount> amounts) { change(node, amounts, -1); }

 private:
  void change(QuotaNodeId node, std::span<const QuotaAmount> amounts, int64_t times);

  const QuotaTree& tree_;
  std::vector<int64_t> usage_;
};

enum class CandidateKind : uint8_t {
  OwnQueue,
  Hierarchical,      // a subtree that the workload is in and the candidate is not has the quota
  WithoutBorrowing,  // only for a workload that ends within its queue's quota
  WhileBorrowing,
  Entitled,  // by shares: the workload stays within its queue's quota
  ByShare,
};

PreemptionCause cause_of(CandidateKind kind);

struct Candidate {
  WorkloadId workload;
  QuotaNodeId node;  // of its queue
  CandidateKind kind = CandidateKind::OwnQueue;
};

// The workloads that held quota when the session began, by queue.
// Cost: O(workloads), once a session and only when it is read.
class QuotaHolders {
 public:
  void open(const View& view);
  // In no order.
  std::span<const WorkloadId> of(ClusterQueueId queue);

 private:
  void read();

  const View* view_ = nullptr;
  bool known_ = false;
  std::vector<uint32_t> first_;  // by queue, and an end
  std::vector<WorkloadId> workloads_;
};

// Candidates in the order in which they would leave: hierarchical, by priority and borrowing, of
// the own queue; then lower priority; then admitted later; then uid.
std::vector<Candidate> classical_candidates(const View& view, QuotaHolders& holders,
                                            const Contest& contest);
// Candidates where queues share by weight: all workloads that hold quota in queues that borrow.
std::vector<Candidate> fair_candidates(const View& view, QuotaHolders& holders,
                                       const Contest& contest);

// Whether a leaves before b when their kinds are ignored.
bool leaves_before(const View& view, const Candidate& a, const Candidate& b);

}  // namespace trellis
