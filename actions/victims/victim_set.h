// A set of victims: each is evicted in the statement when it is taken into the set.
//
// Words: a unit is what leaves at once: some pods above a gang's minimum, a subgroup that the gang
// does without, or (its core) all that is left of the gang.
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

// The cost of victims. Less is better: fewest gangs that lose their minimum, then the lowest
// priority, then queues that are served last, then the youngest, then the fewest gangs that only
// shrink. A gang in the background counts like one that only shrinks.
struct VictimCost {
  int64_t broken = 0;            // gangs
  int32_t priority = INT32_MIN;  // the highest of the gangs
  int64_t queue = INT64_MIN;     // position of the queue that is served first; grows to the front
  VictimAge age;                 // of the oldest broken gang
  int64_t shrunk = 0;            // gangs
  VictimAge shrunk_age;          // of the oldest shrunk gang
  int64_t pods = 0;
  auto operator<=>(const VictimCost&) const = default;

  void add(const VictimCost& other);
};

class VictimSet {
 public:
  VictimSet(PlacementContext& context, VictimPool& pool) : context_(context), pool_(pool) {}

  void serve(const MoveRequest& request) {
    by_ = request.gang;
    if (last_of_.size() < context_.cluster().gangs().size()) {
      last_of_.resize(context_.cluster().gangs().size(), kNoUnit);
    }
    all_count_ = request.cause == MoveCause::Consolidation;
    shrink(0);
  }
  // shrink() removes the units taken since size() was read; the caller rolls the statement back.
  size_t size() const { return units_.size(); }
  void shrink(size_t size) {
    for (; units_.size() > size; units_.pop_back(), before_.pop_back()) {
      last_of_[units_.back().gang] = before_.back();
    }
  }

  // Skips pods that were evicted before. False, and nothing is done: the gang may not lose the unit
  // in the statement as it is.
  bool take(const VictimUnit& unit);
  bool disrupts(GangId gang) const { return last_of_[gang] != kNoUnit; }
  const std::vector<VictimUnit>& units() const { return units_; }
  // Of the gang's units, in no order. O(its units).
  std::vector<PodId> pods_of(GangId gang) const;
  VictimCost cost() const;
  int64_t gangs() const;  // that lose pods
  // The cost of one unit on top of the set.
  VictimCost cost_of(const VictimUnit& unit) const;

 private:
  static constexpr uint32_t kNoUnit = UINT32_MAX;

  PlacementContext& context_;
  VictimPool& pool_;
  GangId by_;
  bool all_count_ = false;  // a gang that moves is disrupted, whatever part of it moves
  std::vector<VictimUnit> units_;
  std::vector<uint32_t> before_;             // by unit: the one before it of its gang
  IndexedVector<GangId, uint32_t> last_of_;  // the last unit of the gang
};

// The cost of the units together; gangs that lose pods by the set already count as disrupted.
VictimCost cost(const VictimSet& set, std::span<const VictimUnit> units);

}  // namespace trellis
