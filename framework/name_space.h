// A namespace, for terms that choose namespaces by label.
#pragma once

#include "framework/selectors.h"

namespace trellis {

struct NameSpace {
  StrId name;
  Labels labels;
  bool operator==(const NameSpace&) const = default;
};

}  // namespace trellis
