// consolidation: moves running gangs together, to make whole room for a waiting one. Every victim
// is promised a new place in the same decision. Where pods are spread it does nothing: they would
// be spread again.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Consolidation : public Action {
 public:
  std::string_view name() const override { return "consolidation"; }
  void run(Session& session) override;
};

}  // namespace trellis
