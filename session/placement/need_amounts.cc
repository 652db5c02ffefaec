#include "session/placement/need_amounts.h"

#include <algorithm>
#include <vector>

namespace trellis {
namespace {

std::vector<QueueAmounts> waiting_amounts(const PlacementContext& context, GangId gang,
                                          int32_t subgroup) {
  const Snapshot& snapshot = context.snapshot();
  std::vector<QueueAmounts> amounts;
  for (PodId pod : context.cluster().pods_of(gang)) {
    const PodKey& key = snapshot.key(pod);
    if (snapshot.pod(pod).status != PodStatus::Pending || key.hold != PodHold::None) continue;
    if (key.subgroup != subgroup) continue;
    amounts.push_back(snapshot.queues().amounts(context.cluster(), key.pod_class, NodeId()));
  }
  return amounts;
}

int64_t sum_of_smallest(const std::vector<QueueAmounts>& amounts, size_t resource, size_t count) {
  std::vector<int64_t> values;
  for (const QueueAmounts& one : amounts) values.push_back(one.of[resource]);
  if (count < values.size()) {
    std::nth_element(values.begin(), values.begin() + static_cast<ptrdiff_t>(count), values.end());
    values.resize(count);
  }
  int64_t sum = 0;
  for (int64_t value : values) sum = add_to_sum(sum, value);
  return sum;
}

// Whether every pod of the gang waits, and all are needed: the ledger has their sum.
bool wants_all(const PlacementContext& context, GangId gang) {
  const GangCounts& counts = context.snapshot().gang_counts()[gang];
  int64_t pods = static_cast<int64_t>(context.cluster().pods_of(gang).size());
  return counts.placed == 0 && counts.waiting == pods &&
         context.cluster().gangs()[gang].min_member == pods;
}

}  // namespace

QueueAmounts need_amounts(const PlacementContext& context, GangId gang, const GangNeed& need) {
  if (wants_all(context, gang)) return context.snapshot().queues().of(gang).waiting;
  QueueAmounts sum;
  for (const LeafNeed& leaf : need) {
    std::vector<QueueAmounts> waiting = waiting_amounts(context, gang, leaf.subgroup);
    for (size_t i = 0; i < kQueueResources; ++i) {
      int64_t smallest = sum_of_smallest(waiting, i, static_cast<size_t>(leaf.pods));
      sum.of[i] = add_to_sum(sum.of[i], smallest);
    }
  }
  return sum;
}

QueueAmounts next_amounts(const PlacementContext& context, GangId gang) {
  if (wants_all(context, gang)) return context.snapshot().queues().of(gang).waiting;
  if (context.snapshot().gang_counts()[gang].waiting == 0) return {};
  GangNeeds needs = next_needs(context, gang);
  return needs.empty() ? QueueAmounts() : need_amounts(context, gang, needs.front());
}

}  // namespace trellis
