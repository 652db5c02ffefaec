// minruntime: gangs are not preempted below their minimum before they have run for a minimum time.
//
// A queue's preemptMinRuntime protects its gangs from their own queue, its reclaimMinRuntime from
// others; where a queue sets none its parent's holds, at last the configured default. For others,
// method `lca` asks the ancestor of the victim's queue that is a sibling of the taker's, and those
// above it: below that, queues settle things among themselves. Moving a gang to a new place is not
// bound by either, nor is taking pods above a gang's minimum.
// Cost: O(depth of the queue) + O(pods of the gang) where no start is written on it.
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
