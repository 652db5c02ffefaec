#include "actions/victims/victim_set.h"

#include <algorithm>
#include <utility>

#include "framework/sort_unique.h"

namespace trellis {

void VictimCost::add(const VictimCost& other) {
  broken += other.broken;
  priority = std::max(priority, other.priority);
  queue = std::max(queue, other.queue);
  age = std::max(age, other.age);
  shrunk_age = std::max(shrunk_age, other.shrunk_age);
  shrunk += other.shrunk;
  pods += other.pods;
}

bool VictimSet::take(const VictimUnit& unit) {
  if (!pool_.may_move(unit.gang)) return false;
  if (unit.core && !pool_.may_break(unit.gang)) return false;
  VictimUnit taken{unit.gang, unit.core, {}};
  for (PodId pod : unit.pods) {
    PodStatus status = context_.snapshot().pod(pod).status;
    if (!is_active(status)) continue;
    context_.statement().evict(pod, by_);
    taken.pods.push_back(pod);
  }
  if (taken.pods.empty()) return true;
  before_.push_back(std::exchange(last_of_[unit.gang], static_cast<uint32_t>(units_.size())));
  units_.push_back(std::move(taken));
  return true;
}

std::vector<PodId> VictimSet::pods_of(GangId gang) const {
  std::vector<PodId> pods;
  for (uint32_t unit = last_of_[gang]; unit != kNoUnit; unit = before_[unit]) {
    pods.insert(pods.end(), units_[unit].pods.begin(), units_[unit].pods.end());
  }
  return pods;
}

VictimCost VictimSet::cost_of(const VictimUnit& unit) const {
  VictimCost cost;
  cost.pods = static_cast<int64_t>(unit.pods.size());
  if (context_.cluster().gangs()[unit.gang].background && !all_count_) {
    cost.shrunk = disrupts(unit.gang) ? 0 : 1;
    cost.shrunk_age = pool_.age(unit.gang);
    return cost;
  }
  bool known = disrupts(unit.gang);
  bool broken = unit.core || (all_count_ && !known);
  cost.broken = broken ? 1 : 0;
  cost.priority = context_.cluster().gangs()[unit.gang].priority;
  cost.queue = pool_.queue_turn(unit.gang);
  (broken ? cost.age : cost.shrunk_age) = pool_.age(unit.gang);
  cost.shrunk = broken || known ? 0 : 1;
  return cost;
}

VictimCost VictimSet::cost() const { return trellis::cost(*this, units_); }

VictimCost cost(const VictimSet& set, std::span<const VictimUnit> units) {
  VictimCost sum;
  std::vector<GangId> broken;
  std::vector<GangId> shrunk;
  for (const VictimUnit& unit : units) {
    VictimCost one = set.cost_of(unit);
    bool breaks = one.broken > 0;
    one.broken = 0;
    one.shrunk = 0;
    sum.add(one);
    (breaks ? broken : shrunk).push_back(unit.gang);
  }
  sort_unique(broken);
  sort_unique(shrunk);
  sum.broken = static_cast<int64_t>(broken.size());
  sum.shrunk = std::count_if(shrunk.begin(), shrunk.end(), [&](GangId gang) {
    return !std::binary_search(broken.begin(), broken.end(), gang);
  });
  return sum;
}

int64_t VictimSet::gangs() const {
  VictimCost sum = cost();
  return sum.broken + sum.shrunk;
}

}  // namespace trellis
