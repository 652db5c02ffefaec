// A probe that is called while a cycle runs: for clocks and logs, which the core does not have.
// What it receives never affects a decision.
#pragma once

#include <string_view>

#include "framework/ids.h"

namespace trellis {

class CycleProbe {
 public:
  virtual ~CycleProbe() = default;
  virtual void action_begins(std::string_view action) = 0;
  virtual void action_ends(std::string_view action) = 0;
  // One step of an action with one gang: its search, up to the decision.
  virtual void gang_begins(GangId gang) = 0;
  virtual void gang_ends(GangId gang) = 0;
};

}  // namespace trellis
