// Workloads that may leave for another workload, by the policies of its ClusterQueue (Kueue's
// hierarchical_preemption.go).
#pragma once

#include <span>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/quota_rules.h"
#include "framework/view.h"
#include "plugins/quota/contest.h"

namespace trellis {

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
