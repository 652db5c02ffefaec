// minruntime: gangs are not preempted below their minimum before they have run for a minimum time.
//
// A queue's preemptMinRuntime protects its gangs from gangs of their own queue, its
// reclaimMinRuntime from gangs of other queues. A queue that sets none has its parent's value;
// without any, the configured default holds. For reclaim, method `lca` starts the look-up at the
// ancestor of the victim's queue that is a sibling of an ancestor of the taker's queue: below that,
// no queue protects its gangs from the taker. Neither value restricts consolidation (moving a gang
// to other nodes), nor the eviction of pods above a gang's minimum.
// Cost: O(depth of the queue), and O(pods of the gang) where the gang's record has no start time.
#pragma once

#include <optional>

#include "framework/plugin.h"

namespace trellis {

class MinRuntime : public Plugin, public VictimRule {
 public:
  std::string_view name() const override { return "minruntime"; }
  void open(const View& view, Hooks& hooks) override;
  ReasonCode verdict(GangId victim, GangId by, MoveCause cause, TimeUs now) const override;

 private:
  TimeUs min_runtime_us(GangId victim, GangId by, MoveCause cause) const;
  // The value of the queue or of the nearest ancestor that has one.
  TimeUs look_up(QueueId queue, std::optional<TimeUs> Queue::*value, TimeUs otherwise) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
