// preempt: makes room for a gang at the cost of gangs of its own queue with lower priority.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Preempt : public Action {
 public:
  std::string_view name() const override { return "preempt"; }
  void run(Session& session) override;
};

}  // namespace trellis
