// The requests of a pod, container by container. Code that decides about parts of a node, its NUMA
// zones, reads them.
//
// Guarantees: requests are sorted by resource, no resource twice. A request of 0 is kept: it
// differs from no request where scores are averaged over the requested resources.
#pragma once

#include <cstdint>
#include <vector>

#include "framework/ids.h"
#include "framework/resources.h"

namespace trellis {

enum class Qos : uint8_t { BestEffort, Burstable, Guaranteed };

enum class ContainerKind : uint8_t {
  Init,     // runs before the others, and ends
  Sidecar,  // an init container that keeps running (restartPolicy Always)
  App,
};

struct ContainerDemand {
  ContainerKind kind = ContainerKind::App;
  std::vector<ResourceAmount> requests;
  auto operator<=>(const ContainerDemand&) const = default;
};

struct PodDemand {
  Qos qos = Qos::BestEffort;
  std::vector<ContainerDemand> containers;  // containers that start first come first
  std::vector<ResourceAmount> pod_level;    // spec.resources: cpu, memory, huge pages
  std::vector<ResourceAmount> overhead;
  StrId zone_group;  // its pods share one zone of one node; kNone: the pod is in no group
  auto operator<=>(const PodDemand&) const = default;
};

// The names of a pod's containers and the zones that they are known to have, both in the order of
// PodDemand::containers, and the last report of the node's zones before the pod was bound.
struct PodContainers {
  std::vector<StrId> names;
  std::vector<std::vector<int64_t>> zones;  // ids; empty: unknown. Fewer than names: none known
  uint64_t bound_after = 0;                 // report_hash() of that report; 0: unknown
  bool operator==(const PodContainers&) const = default;
};

// A pod that has left its node since the agent's last report of the node's zones: the report still
// shows what the pod held as used.
struct ZoneLeaver {
  PodDemand demand;                         // without a zone group
  std::vector<std::vector<int64_t>> zones;  // as PodContainers::zones
  bool operator==(const ZoneLeaver&) const = default;
};

}  // namespace trellis
