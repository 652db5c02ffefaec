// What many pods have in common, each once: specs, names of containers, names of nodes.
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "framework/container_demand.h"
#include "framework/shared_text.h"
#include "framework/shared_value.h"
#include "session/cluster/shared_spec.h"

namespace trellis {

class SpecPool {
 public:
  // An equal spec that was shared before, else this one. Cost: a hash of the spec and a comparison;
  // now and then a look at all specs, to drop those that nothing else holds.
  SharedSpec share(PodSpec spec);
  // The same for a name. Cost: a hash of the name.
  SharedText share(std::string_view name);
  // The same, as far as it was shared recently. Cost: a hash of the containers' names.
  SharedValue<PodContainers> share(PodContainers containers);
  size_t names() const { return names_.size(); }

 private:
  void drop_unused();

  absl::flat_hash_map<size_t, std::vector<SharedSpec>> specs_;  // by hash
  absl::flat_hash_set<SharedText, TextHash, TextEqual> names_;
  absl::flat_hash_map<uint64_t, SharedValue<PodContainers>> containers_;  // by hash of the names
  size_t added_ = 0;        // specs, since unused ones were dropped
  size_t kept_ = 0;         // then
  size_t added_names_ = 0;  // the same of names
  size_t kept_names_ = 0;
};

}  // namespace trellis
