// allocate: places waiting gangs in order, each all or nothing down to its minimum; pods above the
// minimum follow one by one, in turn with the other gangs.
#pragma once

#include "session/cycle/action.h"

namespace trellis {

class Allocate : public Action {
 public:
  std::string_view name() const override { return "allocate"; }
  void run(Session& session) override;
};

}  // namespace trellis
