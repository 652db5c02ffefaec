// The lists of Objects and RemovedObjects, each once, for code that handles all kinds alike.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "framework/string_table.h"
#include "session/cluster/objects.h"
#include "session/cluster/sort_large.h"

namespace trellis {

// Calls use(list of Objects, list of RemovedObjects) for each kind but namespaces, which are never
// removed.
template <class Use>
void for_each_kind(Use use) {
  use(&Objects::nodes, &RemovedObjects::nodes);
  use(&Objects::pods, &RemovedObjects::pods);
  use(&Objects::gangs, &RemovedObjects::gangs);
  use(&Objects::queues, &RemovedObjects::queues);
  use(&Objects::topologies, &RemovedObjects::topologies);
  use(&Objects::budgets, &RemovedObjects::budgets);
  use(&Objects::daemon_sets, &RemovedObjects::daemon_sets);
  use(&Objects::flavors, &RemovedObjects::flavors);
  use(&Objects::cluster_queues, &RemovedObjects::cluster_queues);
  use(&Objects::cohorts, &RemovedObjects::cohorts);
  use(&Objects::local_queues, &RemovedObjects::local_queues);
  use(&Objects::workloads, &RemovedObjects::workloads);
  static_assert(sizeof(Objects) == 13 * sizeof(std::vector<Node>), "a kind is missing above");
  static_assert(sizeof(RemovedObjects) == 12 * sizeof(std::vector<Node>));
}

// The key by which objects of a kind are distinguished and sorted: the name, after the namespace if
// there is one.
template <class Object>
auto object_key(const Object& object, const StringTable& strings) {
  if constexpr (requires { object.pod.name; }) {
    return object_key(object.pod, strings);
  } else if constexpr (requires { object.name_space; }) {
    return std::pair(strings.view(object.name_space), std::string_view(object.name));
  } else if constexpr (requires {
                         object.labels;
                         object.name.value;
                       }) {
    return strings.view(object.name);
  } else {
    return std::string_view(object.name);
  }
}

inline void sort_objects(Objects& objects, const StringTable& strings) {
  auto sort = [&](auto& list) {
    auto key = [&](const auto& object) { return object_key(object, strings); };
    sort_large(list, key);
  };
  for_each_kind([&](auto list, auto /*removed*/) { sort(objects.*list); });
  sort(objects.name_spaces);
}

}  // namespace trellis
