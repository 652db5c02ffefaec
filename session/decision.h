// What a statement yields.
#pragma once

#include <cstdint>

#include "framework/ids.h"

namespace trellis {

struct Decision {
  enum class Kind : uint8_t { Bind, Pipeline, Evict } kind = Kind::Bind;
  PodId pod;
  NodeId node;
  GangId by;  // Evict: for whom
};

}  // namespace trellis
