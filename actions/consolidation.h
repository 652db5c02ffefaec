// consolidation: moves running gangs together, so that a waiting gang finds whole room. Every
// victim is promised a new place in the same decision. With the placement strategy spread it does
// nothing: the pods would be spread again.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Consolidation : public Action {
 public:
  std::string_view name() const override { return "consolidation"; }
  void run(Session& session) override;
};

}  // namespace trellis
