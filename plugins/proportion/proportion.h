// proportion: shares the cluster between queues by quota, limit and fair share.
//
// The order of queues side by side: below the fair share first, then within quota with the gang
// that is next, then higher priority, then the smaller dominant share with that gang, then without
// it, then the smaller share to have, then creation, then name. Gangs without a queue are in one
// without quota and limits.
// Cost: open O(queues log queues); a question about the order a handful of divisions.
#pragma once

#include "framework/plugin.h"
#include "plugins/proportion/queue_shares.h"

namespace trellis {

class Proportion : public Plugin, public QueueRules {
 public:
  std::string_view name() const override { return "proportion"; }
  void open(const View& view, Hooks& hooks) override;

  int compare(const QueueTurn& a, const QueueTurn& b) const override;
  Reason may_take(GangId gang, const QueueAmounts& need) const override;
  Reason may_keep(GangId gang) const override;
  Reason may_reclaim(GangId gang, const QueueAmounts& need) const override;
  bool may_lose(QueueId from, GangId to, const QueueAmounts& need) const override;
  bool fair_exchange(GangId to, const QueueAmounts& need,
                     std::span<const QueueLoss> losses) const override;
  QueueFigures figures(QueueId queue) const override;

 private:
  // Of a queue that holds and needs that much.
  struct Standing {
    QueueAmounts held;
    QueueAmounts need;
    bool known = false;
    bool above_fair = false;
    bool above_quota = false;
    double with = 0;  // dominant shares
    double without = 0;
  };

  const Standing& standing(const QueueTurn& turn) const;
  const QueueAmounts& allocated(QueueId queue) const {
    return (*view_->queue_use)[queue].allocated;
  }
  // The first bound, from the leaf up, that the gang's queues pass with `more`; `own` are amounts
  // of the gang: what it has nothing of is not held against it.
  Reason first_bound(GangId gang, const QueueAmounts& more, const QueueAmounts& own) const;
  Reason past_bound(QueueId queue, ReasonCode code, QueueResource resource,
                    const QueueBound& bound) const;

  const View* view_ = nullptr;
  QueueShares shares_;
  mutable IndexedVector<QueueId, Standing> standings_;  // the last asked for of each queue
};

}  // namespace trellis
