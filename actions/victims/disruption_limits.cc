#include "actions/victims/disruption_limits.h"

#include <algorithm>

#include "framework/pod_terms.h"

namespace trellis {
namespace {

struct Tally {
  int64_t expected = 0;  // pods that the budget selects and that have not finished
  int64_t healthy = 0;   // of them, those that run and stay
};

int64_t pods_of(const PodQuantity& quantity, int64_t expected) {
  if (!quantity.percent) return quantity.pods;
  return (expected * *quantity.percent + 99) / 100;
}

int64_t allowed(const DisruptionBudget& budget, const Tally& tally) {
  int64_t least = 0;
  if (budget.min_available) {
    least = pods_of(*budget.min_available, tally.expected);
  } else if (budget.max_unavailable) {
    least = tally.expected - pods_of(*budget.max_unavailable, tally.expected);
  }
  int64_t may_go = std::max<int64_t>(0, tally.healthy - least);
  return budget.disruptions_allowed ? std::min(may_go, *budget.disruptions_allowed) : may_go;
}

bool selects(const DisruptionBudget& budget, const Pod& pod, const StringTable& strings) {
  return !budget.selects_nothing && budget.name_space == pod.name_space &&
         meets(budget.labels, pod.labels, strings);
}

}  // namespace

DisruptionLimits::DisruptionLimits(const PlacementContext& context) {
  const Cluster& cluster = context.cluster();
  std::vector<BudgetId> live;
  for (uint32_t i = 0; i < cluster.budgets().size(); ++i) {
    if (cluster.alive(BudgetId(i))) live.emplace_back(i);
  }
  if (live.empty()) return;
  of_pod_.resize(cluster.pods().size());
  std::vector<Tally> tallies(live.size());
  for (uint32_t i = 0; i < cluster.pods().size(); ++i) {
    PodId pod(i);
    if (!cluster.alive(pod)) continue;
    PodStatus status = context.snapshot().pod(pod).status;
    if (has_finished(status)) continue;
    for (uint32_t b = 0; b < live.size(); ++b) {
      const Pod& record = cluster.pods()[pod].pod;
      if (!selects(cluster.budgets()[live[b]], record, cluster.vocabulary().strings)) continue;
      of_pod_[pod].push_back(b);
      ++tallies[b].expected;
      if (status == PodStatus::Running) ++tallies[b].healthy;
    }
  }
  for (size_t b = 0; b < live.size(); ++b) {
    left_.push_back(allowed(cluster.budgets()[live[b]], tallies[b]));
  }
}

std::vector<int64_t> DisruptionLimits::count(std::span<const VictimUnit> units) const {
  std::vector<int64_t> pods(left_.size(), 0);
  for (const VictimUnit& unit : units) {
    for (PodId pod : unit.pods) {
      for (uint32_t budget : of_pod_[pod]) ++pods[budget];
    }
  }
  return pods;
}

bool DisruptionLimits::allow(std::span<const VictimUnit> units) const {
  if (left_.empty()) return true;
  std::vector<int64_t> pods = count(units);
  for (size_t budget = 0; budget < left_.size(); ++budget) {
    if (pods[budget] > 0 && pods[budget] > left_[budget]) return false;
  }
  return true;
}

void DisruptionLimits::spend(std::span<const VictimUnit> units) {
  if (left_.empty()) return;
  std::vector<int64_t> pods = count(units);
  for (size_t budget = 0; budget < left_.size(); ++budget) left_[budget] -= pods[budget];
}

}  // namespace trellis
