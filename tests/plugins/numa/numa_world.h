// A node's zones and a pod's containers, in few words: resources are kCpu, kMemory, kGpu and a
// device "example.com/nic", amounts in plain units.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/container_demand.h"
#include "framework/numa.h"
#include "framework/resources.h"
#include "plugins/numa/alignment.h"
#include "plugins/numa/numa_policy.h"
#include "plugins/numa/numa_score.h"
#include "plugins/numa/numa_units.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

struct NumaWorld {
  using Amounts = std::vector<ResourceAmount>;

  std::shared_ptr<ResourceTable> table = std::make_shared<ResourceTable>();
  ResourceTable& resources = *table;
  ResourceId nic = resources.intern("example.com/nic");
  ResourceId pages = resources.intern("hugepages-2Mi");
  NumaSettings settings{NumaPolicy::SingleNode, NumaScope::Container};
  NumaOptions options;
  std::vector<NumaZoneRecord> zones;
  ResourceList allocatable;
  PodDemand pod{Qos::Guaranteed, {}, {}, {}, {}};

  // allocatable = available, but for `whole` where given.
  void zone(const std::string& name, const Amounts& available, const Amounts& whole = {}) {
    NumaZoneRecord& record = zones.emplace_back();
    record.name = name;
    for (size_t i = 0; i < available.size(); ++i) {
      int64_t all = whole.empty() ? available[i].amount : whole[i].amount;
      record.resources.push_back({available[i].resource, all, all, available[i].amount});
      allocatable.add(available[i].resource, all);
    }
  }
  void cpus(const std::vector<int64_t>& amounts) {
    for (size_t i = 0; i < amounts.size(); ++i) {
      zone("node-" + std::to_string(i), {{kCpu, amounts[i]}});
    }
  }
  void container(const Amounts& requests, ContainerKind kind = ContainerKind::App) {
    pod.containers.push_back({kind, requests});
  }

  NumaTopology topology() const { return make_numa_topology({}, zones); }
  NumaVerdict verdict() const {
    NumaTopology made = topology();
    return align(numa_units(pod, resources, options.rules),
                 {&made, settings, &allocatable, made.available}, options);
  }
  int64_t score() const {
    NumaTopology made = topology();
    return numa_score(numa_units(pod, resources, options.rules),
                      {&made, settings, &allocatable, made.available}, options);
  }
  // What is left after the pod.
  std::vector<int64_t> charged() const {
    NumaTopology made = topology();
    NumaNode node{&made, settings, &allocatable, made.available};
    NumaUnits units = numa_units(pod, resources, options.rules);
    std::vector<int64_t> free = made.available;
    charge(units, node, align(units, node, options), options, free);
    return free;
  }
};

}  // namespace trellis
