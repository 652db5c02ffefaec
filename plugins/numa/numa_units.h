// What has to be aligned, one *unit* after the other: a pod's containers, or the pod as a whole,
// as the node's scope says.
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

// What becomes of a resource that no zone lists.
enum class NumaKind : uint8_t {
  Memory,   // memory and huge pages: refused, unless no zone lists memory at all
  Cpu,      // refused
  Storage,  // the node's business
  Device,   // a name with a domain: the node's business too, if it lists it
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
  std::vector<NumaRequest> requests;  // those of 0 too
};

struct NumaUnits {
  Qos qos = Qos::BestEffort;
  bool asks_device = false;  // some container names a resource with a domain
  std::vector<NumaUnit> containers;
  std::vector<NumaUnit> pod;         // one unit: the effective request
  std::vector<NumaUnit> scored_pod;  // as scheduler-plugins sums it up: sidecars end
  std::span<const NumaUnit> of(NumaScope scope) const {
    return scope == NumaScope::Pod ? std::span(pod) : std::span(containers);
  }
  std::span<const NumaUnit> scored(NumaScope scope) const {
    return scope == NumaScope::Pod ? std::span(scored_pod) : std::span(containers);
  }
  // No zone has a say on pods that ask for nothing and no device.
  bool passes() const { return qos == Qos::BestEffort && !asks_device; }
};

// A resource that is neither Kubernetes' own nor a plain word.
bool is_device_name(std::string_view name);

NumaUnits numa_units(const PodDemand& demand, const ResourceTable& resources, NumaRules rules);

}  // namespace trellis
