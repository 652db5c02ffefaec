#include "plugins/proportion/proportion.h"

#include "framework/gang_minimum.h"
#include "framework/queue_tree.h"
#include "plugins/proportion/exchange.h"

namespace trellis {
namespace {

template <class T>
int prefer_smaller(T a, T b) {
  return static_cast<int>(a > b) - static_cast<int>(a < b);
}

// Compares without a call, unlike operator== of arrays.
bool same(const QueueAmounts& a, const QueueAmounts& b) {
  return ((a.of[0] ^ b.of[0]) | (a.of[1] ^ b.of[1]) | (a.of[2] ^ b.of[2])) == 0;
}

QueueAmounts sum(QueueAmounts a, const QueueAmounts& b) {
  a.add(b);
  return a;
}

}  // namespace

void Proportion::open(const View& view, Hooks& hooks) {
  view_ = &view;
  shares_.compute(view);
  turn_keys_.assign(view.queue_tree->size(), {});
  hooks.queue_rules.supply(this, name());
}

const Proportion::TurnKey& Proportion::turn_key(const QueueTurn& turn) const {
  TurnKey& key = turn_keys_[turn.queue];
  const QueueAmounts& held = allocated(turn.queue);
  if (key.known && same(key.held, held) && same(key.need, *turn.need)) return key;
  const QueueStake& stake = shares_[turn.queue];
  QueueAmounts with = sum(held, *turn.need);
  key = {held,
         *turn.need,
         true,
         !stake.is_below_fair(held),
         !stake.within_deserved(with),
         stake.dominant_share(with),
         stake.dominant_share(held)};
  return key;
}

int Proportion::compare(const QueueTurn& a, const QueueTurn& b) const {
  const TurnKey& x = turn_key(a);
  const TurnKey& y = turn_key(b);
  const QueueStake& of_a = shares_[a.queue];
  const QueueStake& of_b = shares_[b.queue];
  if (int verdict = prefer_smaller(x.above_fair, y.above_fair); verdict != 0) return verdict;
  if (int verdict = prefer_smaller(x.above_quota, y.above_quota); verdict != 0) return verdict;
  if (int verdict = prefer_smaller(of_b.priority, of_a.priority); verdict != 0) return verdict;
  if (int verdict = prefer_smaller(x.with, y.with); verdict != 0) return verdict;
  if (int verdict = prefer_smaller(x.without, y.without); verdict != 0) return verdict;
  // The queue with the smaller allocatable share.
  if (!same(of_a.divisor, of_b.divisor)) return of_a.divisor.of < of_b.divisor.of ? -1 : 1;
  return prefer_smaller(of_a.position, of_b.position);
}

Reason Proportion::past_bound(QueueId queue, ReasonCode code, QueueResource resource,
                              const QueueBound& bound) const {
  Reason reason;
  reason.code = code;
  reason.plugin = name();
  reason.subject = view_->queue_tree->is_open(queue) ? "" : (*view_->queues)[queue].name;
  reason.bound = bound;
  reason.bound.resource = resource;
  return reason;
}

Reason Proportion::first_bound(GangId gang, const QueueAmounts& more, const QueueAmounts& own,
                               bool preemptible) const {
  QueueId leaf = *(*view_->queue_of_gang)[gang];
  for (QueueId at = leaf; at.valid(); at = view_->queue_tree->parent(at)) {
    const QueueStake& stake = shares_[at];
    const QueueUse& use = (*view_->queue_use)[at];
    for (size_t i = 0; i < kQueueResources; ++i) {
      if (own.of[i] <= 0) continue;
      auto passes = [&](int64_t held, int64_t allowed) {
        return allowed != QueueShare::kUnlimited && held + more.of[i] > allowed;
      };
      auto resource = static_cast<QueueResource>(i);
      if (passes(use.allocated.of[i], stake.limit.of[i])) {
        return past_bound(
            at, ReasonCode::QueueOverLimit, resource,
            {resource, own.of[i], use.allocated.of[i] + more.of[i] - own.of[i], stake.limit.of[i]});
      }
      if (preemptible || !stake.holds_quota) continue;
      if (passes(use.non_preemptible.of[i], stake.deserved.of[i])) {
        return past_bound(at, ReasonCode::QueueOverQuota, resource,
                          {resource, own.of[i], use.non_preemptible.of[i] + more.of[i] - own.of[i],
                           stake.deserved.of[i]});
      }
    }
  }
  return {};
}

bool Proportion::takes_preemptibly(GangId id) const {
  const Gang& gang = (*view_->gangs)[id];
  if (!gang.preemptible || !gang.keeps_minimum) return gang.preemptible;
  return has_minimum(gang, (*view_->gang_counts)[id], (*view_->subgroup_counts)[id]);
}

Reason Proportion::may_take(GangId gang, const QueueAmounts& need) const {
  return first_bound(gang, need, need, takes_preemptibly(gang));
}

Reason Proportion::may_keep(GangId gang) const {
  const Gang& record = (*view_->gangs)[gang];
  return first_bound(gang, {}, (*view_->gang_use)[gang].allocated,
                     record.preemptible && !record.keeps_minimum);
}

Reason Proportion::may_reclaim(GangId gang, const QueueAmounts& need) const {
  QueueId leaf = *(*view_->queue_of_gang)[gang];
  const QueueStake& stake = shares_[leaf];
  const QueueUse& use = (*view_->queue_use)[leaf];
  bool held_to_quota = !takes_preemptibly(gang) && stake.holds_quota;
  for (QueueResource resource : kAllQueueResources) {
    int64_t held = use.allocated[resource];
    if (held + need[resource] > stake.fair[resource]) {
      return past_bound(leaf, ReasonCode::QueueOverFairShare, resource,
                        {resource, need[resource], held, stake.fair[resource]});
    }
    int64_t fixed = use.non_preemptible[resource];
    int64_t quota = stake.deserved[resource];
    if (held_to_quota && quota != QueueShare::kUnlimited && fixed + need[resource] > quota) {
      return past_bound(leaf, ReasonCode::QueueOverQuota, resource,
                        {resource, need[resource], fixed, quota});
    }
  }
  return {};
}

bool Proportion::may_lose(QueueId from, GangId to, const QueueAmounts& need) const {
  QueueId leaf = *(*view_->queue_of_gang)[to];
  auto [gaining, losing] = view_->queue_tree->siblings(leaf, from);
  if (gaining == losing) return false;
  return may_lose_at(shares_[gaining], allocated(gaining), need, shares_[losing],
                     allocated(losing));
}

bool Proportion::fair_exchange(GangId to, const QueueAmounts& need,
                               std::span<const QueueLoss> losses) const {
  QueueId leaf = *(*view_->queue_of_gang)[to];
  Exchange exchange(*view_, shares_, leaf, need, losses);
  if (!exchange.losses_are_allowed() || !exchange.gain_is_bounded()) return false;
  const Gang& gang = (*view_->gangs)[to];
  if (gang.preemptible && !gang.keeps_minimum) return true;
  for (QueueId at = leaf; at.valid(); at = view_->queue_tree->parent(at)) {
    const QueueStake& stake = shares_[at];
    if (stake.holds_quota && !stake.within_deserved((*view_->queue_use)[at].non_preemptible)) {
      return false;
    }
  }
  return true;
}

QueueFigures Proportion::figures(QueueId queue) const {
  const QueueStake& stake = shares_[queue];
  return {stake.fair, stake.requested, stake.dominant_share(allocated(queue)),
          shares_.usage(queue)};
}

}  // namespace trellis
