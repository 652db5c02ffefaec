// The units of a pod that are aligned to zones one after the other: its containers, or the pod as a
// whole, by the node's scope.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "framework/container_demand.h"
#include "framework/numa.h"
#include "framework/resources.h"
#include "plugins/numa/numa_options.h"

namespace trellis {

// The kind of a resource decides what happens when no zone lists the resource.
enum class NumaKind : uint8_t {
  Memory,   // memory and huge pages: refused, unless no zone lists memory at all
  Cpu,      // refused
  Storage,  // left to the node
  Device,   // a name with a domain: left to the node too, if the node lists it
  Other,    // refused
};

struct NumaRequest {
  ResourceId resource;
  int64_t amount = 0;
  NumaKind kind = NumaKind::Other;
  bool bound = true;  // false: shared by all zones, because the pod is not Guaranteed
};

struct NumaUnit {
  ContainerKind kind = ContainerKind::App;
  std::vector<NumaRequest> requests;  // requests of 0 too
};

struct NumaUnits {
  Qos qos = Qos::BestEffort;
  bool asks_device = false;  // some container names a resource with a domain
  std::vector<NumaUnit> containers;
  std::vector<NumaUnit> pod;         // one unit: the effective request
  std::vector<NumaUnit> scored_pod;  // as scheduler-plugins sums it up: sidecars are init ones
  std::span<const NumaUnit> of(NumaScope scope) const {
    return scope == NumaScope::Pod ? std::span(pod) : std::span(containers);
  }
  std::span<const NumaUnit> scored(NumaScope scope) const {
    return scope == NumaScope::Pod ? std::span(scored_pod) : std::span(containers);
  }
  // Zones do not restrict BestEffort pods that request no device.
  bool passes() const { return qos == Qos::BestEffort && !asks_device; }
};

// Whether the name has a domain that is not Kubernetes' own.
bool is_device_name(std::string_view name);

NumaUnits numa_units(const PodDemand& demand, const ResourceTable& resources, NumaRules rules);

}  // namespace trellis
