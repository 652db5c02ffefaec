// A workload that needs the quota of other workloads, and a trial in which those are evicted.
#pragma once

#include <span>
#include <vector>

#include "framework/quota_arithmetic.h"
#include "framework/quota_holding.h"
#include "framework/quota_rules.h"
#include "framework/quota_tree.h"

namespace trellis {

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

}  // namespace trellis
