// An action: one step of a cycle, over an open session.
#pragma once

#include <string_view>

#include "framework/ids.h"

namespace trellis {

class Session;

struct Action {
  std::string_view name;  // static storage
  void (*run)(Session& session) = nullptr;
};

// A probe that is called while a cycle runs: for clocks and logs, which the core does not have.
// What it receives never affects a decision.
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
