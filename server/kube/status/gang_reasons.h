// Why each gang waits, as its users are told: a sentence that stands for a while.
//
// A reason of another kind is told at once; where only its figures changed (how many nodes lack
// what), not before kStandsUs have passed since it was last told. Cost of a look: O(gangs), and a
// sentence for each that is told anew.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/reason.h"
#include "framework/time.h"
#include "session/cluster.h"
#include "session/record.h"

namespace trellis {

class GangReasons {
 public:
  static constexpr TimeUs kStandsUs = 10 * kSecondUs;

  struct Said {
    uint64_t version = 0;  // never the same for two sentences; 0: the gang does not wait
    ReasonCode code = ReasonCode::None;
    std::string text;
    TimeUs since = kNoTime;  // when it began to wait for a reason of this kind
  };

  void look(const Cluster& cluster, const CycleRecord& record, TimeUs now);
  const Said& of(GangId gang) const { return gangs_[gang].said; }
  bool knows(GangId gang) const { return gangs_.contains(gang); }
  // When a sentence that was held back may be told; kNoTime: there is none.
  TimeUs next_look() const { return next_look_; }

 private:
  struct Known {
    StrId name_space;  // another gang may take the slot
    std::string name;
    std::vector<Reason> reasons;
    TimeUs told = kNoTime;
    Said said;
  };

  IndexedVector<GangId, Known> gangs_;
  uint64_t versions_ = 0;
  TimeUs next_look_ = kNoTime;
};

}  // namespace trellis
