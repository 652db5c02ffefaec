#include "plugins/minruntime/minruntime.h"

#include <algorithm>

#include "framework/queue_tree.h"
#include "framework/running_since.h"

namespace trellis {

void MinRuntime::open(const View& view, Hooks& hooks) {
  view_ = &view;
  hooks.victim_rules.push_back({this, name()});
}

ReasonCode MinRuntime::verdict(GangId victim, GangId by, MoveCause cause, TimeUs now) const {
  TimeUs least = min_runtime_us(victim, by, cause);
  if (least <= 0) return ReasonCode::None;
  TimeUs started =
      running_since((*view_->gangs)[victim], *view_->pods, (*view_->pods_of_gang)[victim]);
  bool young = started != kNoTime && now - started < least;
  return young ? ReasonCode::MinRuntime : ReasonCode::None;
}

TimeUs MinRuntime::min_runtime_us(GangId victim, GangId by, MoveCause cause) const {
  const QueuesConfig& config = view_->config->queues;
  QueueId queue = (*view_->queue_of_gang)[victim].raw();
  switch (cause) {
    case MoveCause::Background:
    case MoveCause::Consolidation:
      return 0;
    case MoveCause::Defragmentation:
      return std::max(
          look_up(queue, &Queue::preempt_min_runtime_us, config.default_preempt_min_runtime_us),
          look_up(queue, &Queue::reclaim_min_runtime_us, config.default_reclaim_min_runtime_us));
    case MoveCause::Preempt:
      return look_up(queue, &Queue::preempt_min_runtime_us, config.default_preempt_min_runtime_us);
    case MoveCause::Reclaim:
      break;
  }
  Maybe<QueueId> taker;
  if (by.valid()) taker = (*view_->queue_of_gang)[by];
  bool from_sibling = config.reclaim_resolve_method == ReclaimResolve::Lca && taker;
  if (from_sibling && queue.valid()) queue = view_->queue_tree->siblings(*taker, queue).second;
  return look_up(queue, &Queue::reclaim_min_runtime_us, config.default_reclaim_min_runtime_us);
}

TimeUs MinRuntime::look_up(QueueId queue, std::optional<TimeUs> Queue::*value,
                           TimeUs otherwise) const {
  const QueueTree& tree = *view_->queue_tree;
  for (QueueId at = queue; at.valid() && !tree.is_open(at); at = tree.parent(at)) {
    const std::optional<TimeUs>& own = (*view_->queues)[at].*value;
    if (own) return *own;
  }
  return otherwise;
}

}  // namespace trellis
