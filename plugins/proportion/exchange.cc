#include "plugins/proportion/exchange.h"

#include <limits>
#include <utility>

namespace trellis {
namespace {

// The held amount as a fraction of the fair share.
double saturation(int64_t held, int64_t fair) {
  if (fair > 0) return static_cast<double>(held) / static_cast<double>(fair);
  return held > 0 ? std::numeric_limits<double>::infinity() : 0.0;
}

// Only resources that are needed count: a queue need not give up a surplus that the gang does not
// request.
bool over(const QueueAmounts& held, const QueueAmounts& bounds, const QueueAmounts& need) {
  for (size_t i = 0; i < kQueueResources; ++i) {
    bool bounded = bounds.of[i] != QueueShare::kUnlimited;
    if (need.of[i] > 0 && bounded && held.of[i] > bounds.of[i]) return true;
  }
  return false;
}

}  // namespace

bool may_lose_at(const QueueStake& gaining, const QueueAmounts& gaining_holds,
                 const QueueAmounts& need, const QueueStake& losing,
                 const QueueAmounts& losing_holds) {
  if (!within(losing_holds, losing.allocatable)) return true;
  QueueAmounts with = gaining_holds;
  with.add(need);
  return gaining.within_deserved(with) && over(losing_holds, losing.deserved, need);
}

Exchange::Exchange(const View& view, const QueueShares& shares, QueueId to,
                   const QueueAmounts& need, std::span<const QueueLoss> losses)
    : view_(view), shares_(shares), to_(to), need_(need), losses_(losses) {
  for (QueueId at = to; at.valid(); at = view_.queue_tree->parent(at)) {
    side(at).before.add(need_, -1);
  }
  for (const QueueLoss& loss : losses_) {
    for (QueueId at = loss.queue; at.valid(); at = view_.queue_tree->parent(at)) {
      Side& losing = side(at);
      losing.before.add(loss.amounts);
      for (size_t i = 0; i < kQueueResources; ++i) {
        losing.involved[i] = losing.involved[i] || loss.amounts.of[i] > 0;
      }
    }
  }
  for (Side& one : sides_) one.remaining = one.before;
}

Exchange::Side& Exchange::side(QueueId queue) {
  auto [at, is_new] = index_.try_emplace(queue.value, sides_.size());
  if (is_new) sides_.push_back({queue, (*view_.queue_use)[queue].allocated, {}, {}});
  return sides_[at->second];
}

void Exchange::take(const QueueLoss& loss) {
  for (QueueId at = loss.queue; at.valid(); at = view_.queue_tree->parent(at)) {
    side(at).remaining.add(loss.amounts, -1);
  }
}

bool Exchange::losses_are_allowed() {
  for (const QueueLoss& loss : losses_) {
    auto [gaining, losing] = view_.queue_tree->siblings(to_, loss.queue);
    if (gaining == losing) return false;
    bool allowed = may_lose_at(shares_[gaining], side(gaining).before, need_, shares_[losing],
                               side(losing).remaining);
    if (!allowed) return false;
    take(loss);
  }
  return true;
}

bool Exchange::stays_below(QueueId gaining, const Side& losing) const {
  QueueAmounts held = sides_[index_.find(gaining.value)->second].remaining;
  held.add(need_);
  const QueueStake& own = shares_[gaining];
  const QueueStake& other = shares_[losing.queue];
  for (size_t i = 0; i < kQueueResources; ++i) {
    if ((!losing.involved[i] && need_.of[i] <= 0) || other.fair.of[i] <= 0) continue;
    double reached = saturation(held.of[i], own.fair.of[i]);
    if (reached > 1 && reached >= saturation(losing.remaining.of[i], other.fair.of[i])) {
      return false;
    }
  }
  return true;
}

bool Exchange::gain_is_bounded() const {
  const QueueTree& tree = *view_.queue_tree;
  for (QueueId at = to_; at.valid(); at = tree.parent(at)) {
    for (const Side& one : sides_) {
      if (one.queue == at || tree.parent(one.queue) != tree.parent(at)) continue;
      if (!stays_below(at, one)) return false;
    }
  }
  return true;
}

}  // namespace trellis
