// reclaim: takes back, for a queue below its fair share, what other queues hold above theirs.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Reclaim : public Action {
 public:
  std::string_view name() const override { return "reclaim"; }
  void run(Session& session) override;
};

}  // namespace trellis
