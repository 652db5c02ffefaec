#include "actions/victims/victim_set.h"

#include <algorithm>
#include <utility>

namespace trellis {

void VictimCost::add(const VictimCost& other) {
  gangs += other.gangs;
  priority = std::max(priority, other.priority);
  broken += other.broken;
  age = std::max(age, other.age);
  pods += other.pods;
}

bool VictimSet::disrupts(GangId gang) const {
  return std::any_of(units_.begin(), units_.end(),
                     [&](const VictimUnit& unit) { return unit.gang == gang; });
}

bool VictimSet::take(const VictimUnit& unit) {
  if (!pool_.may_move(unit.gang)) return false;
  if (unit.core && !pool_.may_break(unit.gang)) return false;
  VictimUnit taken{unit.gang, unit.core, {}};
  for (PodId pod : unit.pods) {
    PodStatus status = session_.snapshot().pod(pod).status;
    if (status != PodStatus::Running && status != PodStatus::Bound) continue;
    session_.statement().evict(pod, by_);
    taken.pods.push_back(pod);
  }
  if (!taken.pods.empty()) units_.push_back(std::move(taken));
  return true;
}

VictimCost VictimSet::cost_of(const VictimUnit& unit) const {
  VictimCost cost;
  TimeUs started = pool_.started(unit.gang);
  cost.gangs = disrupts(unit.gang) ? 0 : 1;
  cost.priority = session_.cluster().gangs()[unit.gang].priority;
  cost.broken = unit.core ? 1 : 0;
  cost.age = started == kNoTime ? INT64_MAX : -started;
  cost.pods = static_cast<int64_t>(unit.pods.size());
  return cost;
}

VictimCost VictimSet::cost() const {
  VictimCost sum;
  std::vector<GangId> seen;
  for (const VictimUnit& unit : units_) {
    VictimCost one = cost_of(unit);
    one.gangs = 0;
    sum.add(one);
    seen.push_back(unit.gang);
  }
  std::sort(seen.begin(), seen.end());
  seen.erase(std::unique(seen.begin(), seen.end()), seen.end());
  sum.gangs = static_cast<int64_t>(seen.size());
  return sum;
}

}  // namespace trellis
