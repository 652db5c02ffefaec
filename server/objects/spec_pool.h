// Specs of pods, each once: most pods have the spec of another.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstddef>
#include <vector>

#include "session/cluster/shared_spec.h"

namespace trellis {

class SpecPool {
 public:
  // An equal spec that was shared before, else this one. Cost: a hash of the spec and a comparison;
  // now and then a look at all specs, to drop those that nothing else holds.
  SharedSpec share(PodSpec spec);

 private:
  void drop_unused();

  absl::flat_hash_map<size_t, std::vector<SharedSpec>> specs_;  // by hash
  size_t added_ = 0;                                            // since unused ones were dropped
  size_t kept_ = 0;                                             // then
};

}  // namespace trellis
