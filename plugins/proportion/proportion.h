// proportion: shares the cluster between queues by quota, limit and fair share.
//
// The order of sibling queues: below the fair share first, then within quota with the gang that is
// next, then higher priority, then the smaller dominant share with that gang, then without it, then
// the smaller allocatable share, then creation, then name. Gangs without a queue are in the open
// queue, which has no quota and no limits.
// Cost: open O(queues log queues); a comparison a handful of divisions.
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
  // What a queue is compared by while it holds and needs these amounts.
  struct TurnKey {
    QueueAmounts held;
    QueueAmounts need;
    bool known = false;
    bool above_fair = false;
    bool above_quota = false;
    double with = 0;  // dominant shares
    double without = 0;
  };

  const TurnKey& turn_key(const QueueTurn& turn) const;
  const QueueAmounts& allocated(QueueId queue) const {
    return (*view_->queue_use)[queue].allocated;
  }
  // The first bound, from the leaf up, that the gang's queues exceed with `more`; `own` are the
  // gang's amounts: resources of which the gang has nothing are not checked.
  // `preemptible`: quotas are not checked.
  Reason first_bound(GangId gang, const QueueAmounts& more, const QueueAmounts& own,
                     bool preemptible) const;
  // Whether the next pods of the gang are preemptible.
  bool takes_preemptibly(GangId gang) const;
  Reason past_bound(QueueId queue, ReasonCode code, QueueResource resource,
                    const QueueBound& bound) const;

  const View* view_ = nullptr;
  QueueShares shares_;
  mutable IndexedVector<QueueId, TurnKey> turn_keys_;  // the last computed of each queue
};

}  // namespace trellis
