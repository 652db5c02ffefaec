#include "plugins/proportion/queue_shares.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "framework/queue_tree.h"
#include "plugins/proportion/fair_share.h"

namespace trellis {
namespace {

constexpr QueueAmounts kUnits = {{kMilli, 1, 1}};
// The dominant share of each unit that a queue holds of a resource of which it has no share.
constexpr double kNoShare = 1000;
constexpr int32_t kOpenPriority = 100;

const QueueShare& share_of(const Queue& queue, QueueResource resource) {
  switch (resource) {
    case QueueResource::Gpu:
      return queue.gpu;
    case QueueResource::Cpu:
      return queue.cpu;
    case QueueResource::Memory:
      break;
  }
  return queue.memory;
}

int64_t lower_bound_of(int64_t bound, int64_t amount) {
  return bound == QueueShare::kUnlimited ? amount : std::min(bound, amount);
}

int64_t allocatable_of(int64_t deserved, int64_t fair, int64_t limit) {
  if (deserved == QueueShare::kUnlimited) return limit;
  return lower_bound_of(limit, std::max(deserved, fair));
}

}  // namespace

bool within(const QueueAmounts& amounts, const QueueAmounts& bounds) {
  for (size_t i = 0; i < kQueueResources; ++i) {
    if (bounds.of[i] != QueueShare::kUnlimited && amounts.of[i] > bounds.of[i]) return false;
  }
  return true;
}

bool QueueStake::is_below_fair(const QueueAmounts& allocated) const {
  bool asks = false;
  for (size_t i = 0; i < kQueueResources; ++i) {
    if (requested.of[i] <= 0) continue;
    if (allocated.of[i] >= fair.of[i]) return false;
    asks = true;
  }
  return asks;
}

bool QueueStake::within_deserved(const QueueAmounts& amounts) const {
  return within(amounts, deserved);
}

double QueueStake::dominant_share(const QueueAmounts& allocated) const {
  double most = 0;
  for (size_t i = 0; i < kQueueResources; ++i) {
    double amount = static_cast<double>(allocated.of[i]);
    double share = divisor.of[i] > 0 ? amount / static_cast<double>(divisor.of[i])
                                     : amount / static_cast<double>(kUnits.of[i]) * kNoShare;
    most = std::max(most, share);
  }
  return most;
}

void QueueShares::compute(const View& view) {
  stakes_.assign(view.queue_tree->size(), {});
  if (view.queue_tree->empty()) return;
  describe(view);
  sum_usage(view);
  divide_children(view, QueueId(), *view.queue_capacity);
  for (QueueId queue : view.queue_tree->order()) {
    if (!view.queue_tree->is_leaf(queue)) divide_children(view, queue, stakes_[queue].fair);
  }
}

void QueueShares::describe(const View& view) {
  const QueueTree& tree = *view.queue_tree;
  std::vector<QueueId> order(tree.order().begin(), tree.order().end());
  auto rank = [&](QueueId queue) {
    bool open = tree.is_open(queue);
    return open ? std::tuple(true, kNoTime, std::string_view())
                : std::tuple(false, (*view.queues)[queue].created,
                             std::string_view((*view.queues)[queue].name));
  };
  std::sort(order.begin(), order.end(), [&](QueueId a, QueueId b) { return rank(a) < rank(b); });
  for (uint32_t i = 0; i < order.size(); ++i) {
    QueueId queue = order[i];
    QueueStake& stake = stakes_[queue];
    const QueueUse& use = (*view.queue_use)[queue];
    stake.position = i;
    stake.requested = use.allocated;
    stake.requested.add(use.waiting);
    stake.holds_quota = !tree.is_open(queue);
    stake.priority = stake.holds_quota ? (*view.queues)[queue].priority : kOpenPriority;
    for (QueueResource resource : kAllQueueResources) {
      QueueShare share =
          stake.holds_quota ? share_of((*view.queues)[queue], resource) : QueueShare();
      stake.deserved[resource] = share.quota;
      stake.limit[resource] = share.limit;
    }
  }
}

void QueueShares::sum_usage(const View& view) {
  const QueueTree& tree = *view.queue_tree;
  usage_.assign(tree.size(), 0.0);
  const std::map<std::string, double>& known = view.config->queues.past_usage;
  if (known.empty()) return;
  for (size_t i = tree.order().size(); i-- > 0;) {
    QueueId queue = tree.order()[i];
    if (tree.is_open(queue)) continue;
    auto found = known.find((*view.queues)[queue].name);
    if (found != known.end()) usage_[queue] += found->second;
    if (tree.parent(queue).valid()) usage_[tree.parent(queue)] += usage_[queue];
  }
}

void QueueShares::divide_children(const View& view, QueueId parent, const QueueAmounts& amounts) {
  std::span<const QueueId> children = view.queue_tree->children(parent);
  std::vector<ShareClaim> claims(children.size());
  for (QueueResource resource : kAllQueueResources) {
    for (size_t i = 0; i < children.size(); ++i) {
      const QueueStake& stake = stakes_[children[i]];
      ShareClaim& claim = claims[i];
      claim.deserved = stake.deserved[resource];
      claim.requestable = lower_bound_of(stake.limit[resource], stake.requested[resource]);
      claim.priority = stake.priority;
      claim.usage = resource == QueueResource::Gpu ? usage_[children[i]] : 0.0;
      claim.created = INT64_MAX;
      if (!stake.holds_quota) continue;
      const Queue& queue = (*view.queues)[children[i]];
      claim.weight = share_of(queue, resource).over_quota_weight;
      claim.created = queue.created;
      claim.name = queue.name;
    }
    Dividend dividend{amounts[resource], kUnits[resource], view.config->queues.k_value};
    std::vector<int64_t> shares = divide(dividend, claims);
    for (size_t i = 0; i < children.size(); ++i) {
      QueueStake& stake = stakes_[children[i]];
      stake.fair[resource] = shares[i];
      int64_t allocatable =
          allocatable_of(stake.deserved[resource], shares[i], stake.limit[resource]);
      stake.allocatable[resource] = allocatable;
      stake.divisor[resource] =
          allocatable == QueueShare::kUnlimited ? amounts[resource] : allocatable;
    }
  }
}

}  // namespace trellis
