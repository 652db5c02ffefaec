// Results of searches that found no place, kept from action to action and from cycle to cycle: as
// long as nothing that a search reads is different, the same search has the same result.
//
// Words: the *question* of a search is the snapshot's epoch and the work that the search may do.
// Guarantees: what is kept is what another search would return. Only costly results are kept.
// Cost: O(1). Memory: a step and a reason for each gang whose search was costly.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>
#include <utility>

#include "framework/ids.h"
#include "framework/reason.h"
#include "session/cycle/gang_step.h"

namespace trellis {

struct SearchQuestion {
  uint64_t epoch = 0;
  int64_t work = 0;  // allowed
  bool operator==(const SearchQuestion&) const = default;
};

class FailedSearches {
 public:
  // Whether the step costs enough to be kept.
  static bool is_costly(const GangStep& step) { return step.work >= kCostly; }

  // nullptr: not kept.
  const GangStep* step(GangId gang, SearchQuestion question) const {
    auto found = steps_.find(gang.value);
    bool same = found != steps_.end() && found->second.question == question;
    return same ? &found->second.step : nullptr;
  }
  void keep(GangId gang, SearchQuestion question, GangStep step) {
    steps_[gang.value] = {question, std::move(step)};
  }

  // Why a step found no place; it takes a search of its own to find out.
  const Reason* reason(GangId gang, SearchQuestion question, const GangStep& step) const {
    auto found = reasons_.find(gang.value);
    bool same = found != reasons_.end() && found->second.question == question &&
                found->second.code == step.code && found->second.needed == step.needed;
    return same ? &found->second.reason : nullptr;
  }
  void keep(GangId gang, SearchQuestion question, const GangStep& step, Reason reason) {
    reasons_[gang.value] = {question, step.code, step.needed, std::move(reason)};
  }

  // The records or pods of these gangs have changed.
  void forget(std::span<const GangId> gangs) {
    if (steps_.empty() && reasons_.empty()) return;
    for (GangId gang : gangs) {
      steps_.erase(gang.value);
      reasons_.erase(gang.value);
    }
  }

 private:
  static constexpr int64_t kCostly = 10'000;

  struct KeptStep {
    SearchQuestion question;
    GangStep step;
  };
  struct KeptReason {
    SearchQuestion question;
    ReasonCode code = ReasonCode::None;
    int64_t needed = 0;
    Reason reason;
  };

  // By gang; never iterated.
  absl::flat_hash_map<uint32_t, KeptStep> steps_;
  absl::flat_hash_map<uint32_t, KeptReason> reasons_;
};

}  // namespace trellis
