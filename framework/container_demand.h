// What a pod asks for container by container, for those who judge parts of a node: NUMA zones.
//
// Guarantees: requests are sorted by resource, none twice; a request of 0 is kept, for it is not
// the same as none where scores are averaged over what is requested.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/resources.h"

namespace trellis {

enum class Qos : uint8_t { BestEffort, Burstable, Guaranteed };

enum class ContainerKind : uint8_t {
  Init,     // runs before the others, and ends
  Sidecar,  // an init container that stays (restartPolicy Always)
  App,
};

struct ContainerDemand {
  ContainerKind kind = ContainerKind::App;
  std::vector<ResourceAmount> requests;
  auto operator<=>(const ContainerDemand&) const = default;
};

struct PodDemand {
  Qos qos = Qos::BestEffort;
  std::vector<ContainerDemand> containers;  // those that start first stand first
  std::vector<ResourceAmount> pod_level;    // spec.resources: cpu, memory, huge pages
  std::vector<ResourceAmount> overhead;
  StrId zone_group;  // all pods of it share one zone of one node; kNone: the pod stands for itself
  auto operator<=>(const PodDemand&) const = default;
};

// What a pod's containers are called, and which zones they are known to have, both in the order of
// PodDemand::containers; and which report of its node's zones was the last before it was bound.
struct PodContainers {
  std::vector<StrId> names;
  std::vector<std::vector<int64_t>> zones;  // ids; empty: not known. Fewer than names: none is
  uint64_t bound_after = 0;                 // report_hash() of it; 0: not known
  bool operator==(const PodContainers&) const = default;
};

}  // namespace trellis
