// Judges whether queues that lose pods to a gang of another queue are treated fairly.
//
// Words: the losing and the gaining queue are compared at those of their ancestors that are
// siblings. A loss is allowed when the losing sibling holds more than its allocatable share of some
// resource. It is also allowed when the losing sibling holds more than its quota of a resource that
// the gang needs and the gaining sibling, with the gang, holds no more than its own quota of any
// resource. At each level, from its leaf up, the gaining side may exceed its fair share of what is
// moved only while each losing sibling stays further above its own.
// Cost: O(losses x depth).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "framework/queue_tree.h"
#include "plugins/proportion/queue_shares.h"

namespace trellis {

class Exchange {
 public:
  // `to`: the leaf whose gang takes `need`. The view shows the state after the exchange.
  Exchange(const View& view, const QueueShares& shares, QueueId to, const QueueAmounts& need,
           std::span<const QueueLoss> losses);

  // Judges each loss, in order, after the losses before it.
  bool losses_are_allowed();
  // REQUIRES: losses_are_allowed() was called.
  bool gain_is_bounded() const;

 private:
  // What a queue held before, and that amount less the losses judged so far.
  struct Side {
    QueueId queue;
    QueueAmounts before;
    QueueAmounts remaining;
    std::array<bool, kQueueResources> involved = {};
  };

  Side& side(QueueId queue);
  void take(const QueueLoss& loss);
  bool stays_below(QueueId gaining, const Side& losing) const;

  const View& view_;
  const QueueShares& shares_;
  QueueId to_;
  const QueueAmounts& need_;
  std::span<const QueueLoss> losses_;
  std::vector<Side> sides_;
  absl::flat_hash_map<uint32_t, size_t> index_;  // in sides_; never iterated
};

// The rule for one loss. `gaining` and `losing` are siblings that hold this much.
bool may_lose_at(const QueueStake& gaining, const QueueAmounts& gaining_holds,
                 const QueueAmounts& need, const QueueStake& losing,
                 const QueueAmounts& losing_holds);

}  // namespace trellis
