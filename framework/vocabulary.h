// The names that records share: strings and resources. Each cluster has one vocabulary; the reader
// interns into it, the core only looks ids up.
#pragma once

#include "framework/resources.h"
#include "framework/string_table.h"

namespace trellis {

struct Vocabulary {
  StringTable strings;
  ResourceTable resources;
};

}  // namespace trellis
