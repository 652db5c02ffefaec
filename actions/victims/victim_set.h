// Victims as they are gathered: evicted in the statement as they are taken.
//
// Words: a unit is what leaves at once: some pods above a gang's minimum, a subgroup that the gang
// does without, or (its core) all that is left of it.
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

#include "actions/victims/victim_pool.h"

namespace trellis {

struct VictimUnit {
  GangId gang;
  bool core = false;
  std::vector<PodId> pods;
};

// Less is better: fewest gangs that lose their minimum, then the lowest priority, then queues that
// are served last, then the youngest, then the fewest gangs that only shrink.
struct VictimCost {
  int64_t broken = 0;            // gangs
  int32_t priority = INT32_MIN;  // the highest of them
  int64_t queue = INT64_MIN;  // the place of the one that is served first; grows towards the front
  VictimAge age;              // of the oldest of them
  int64_t shrunk = 0;         // gangs
  VictimAge shrunk_age;       // of the oldest of them
  int64_t pods = 0;
  auto operator<=>(const VictimCost&) const = default;

  void add(const VictimCost& other);
};

class VictimSet {
 public:
  VictimSet(PlacementContext& context, VictimPool& pool) : context_(context), pool_(pool) {}

  void serve(const MoveRequest& request) {
    by_ = request.gang;
    if (units_of_.size() < context_.cluster().gangs().size()) {
      units_of_.resize(context_.cluster().gangs().size(), 0);
    }
    all_count_ = request.cause == MoveCause::Consolidation;
    shrink(0);
  }
  // What is taken later is undone with the statement.
  size_t size() const { return units_.size(); }
  void shrink(size_t size) {
    for (; units_.size() > size; units_.pop_back()) --units_of_[units_.back().gang];
  }

  // Pods that were evicted before are passed over. False, and nothing done: the gang may not
  // lose the unit as things stand.
  bool take(const VictimUnit& unit);
  bool disrupts(GangId gang) const { return units_of_[gang] > 0; }
  const std::vector<VictimUnit>& units() const { return units_; }
  VictimCost cost() const;
  int64_t gangs() const;  // that lose pods
  // Of one unit on top of the set.
  VictimCost cost_of(const VictimUnit& unit) const;

 private:
  PlacementContext& context_;
  VictimPool& pool_;
  GangId by_;
  bool all_count_ = false;  // a gang that moves is disrupted, whatever of it moves
  std::vector<VictimUnit> units_;
  IndexedVector<GangId, uint32_t> units_of_;
};

// Of units together; the set says which gangs lose pods already.
VictimCost cost(const VictimSet& set, std::span<const VictimUnit> units);

}  // namespace trellis
