// Admits workloads: quota, flavors and places for all their pods, or nothing.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Admit : public Action {
 public:
  std::string_view name() const override { return "admit"; }
  void run(Session& session) override;
};

}  // namespace trellis
