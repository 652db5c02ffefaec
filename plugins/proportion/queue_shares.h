// The share of each queue of each resource, computed once a cycle.
//
// Words: the fair share is the queue's part of its parent's (of a root: of the cluster's capacity);
// the allocatable share is the larger of fair share and quota, within the limit.
// Cost: O(queues log queues); questions O(1).
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "framework/config.h"
#include "framework/indexed_vector.h"
#include "framework/queue.h"
#include "framework/queue_amounts.h"
#include "framework/view.h"

namespace trellis {

struct QueueStake {
  QueueAmounts deserved;  // kUnlimited possible
  QueueAmounts limit;     // kUnlimited possible
  QueueAmounts fair;
  QueueAmounts allocatable;  // kUnlimited where quota and limit both are
  QueueAmounts divisor;      // of the dominant share: the allocatable share, at most what there is
  QueueAmounts requested;    // as the cycle found it
  int32_t priority = 0;
  uint32_t position = 0;    // by creation, then name; the open queue last
  bool holds_quota = true;  // non-preemptible gangs must stay within the quota

  // Whether the queue is below its fair share of every resource that it requests.
  bool is_below_fair(const QueueAmounts& allocated) const;
  bool within_deserved(const QueueAmounts& amounts) const;
  double dominant_share(const QueueAmounts& allocated) const;
};

// a <= bound in each resource; kUnlimited bounds nothing.
bool within(const QueueAmounts& amounts, const QueueAmounts& bounds);

class QueueShares {
 public:
  void compute(const View& view);

  const QueueStake& operator[](QueueId queue) const { return stakes_[queue]; }
  // GPU-hours of past usage from the configuration: the sum over the queue and the queues below it.
  double usage(QueueId queue) const { return usage_[queue]; }

 private:
  void describe(const View& view);
  void sum_usage(const View& view);
  void divide_children(const View& view, QueueId parent, const QueueAmounts& amounts);

  IndexedVector<QueueId, QueueStake> stakes_;
  IndexedVector<QueueId, double> usage_;  // GPU-hours
};

}  // namespace trellis
