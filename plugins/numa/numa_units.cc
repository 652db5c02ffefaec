#include "plugins/numa/numa_units.h"

#include <algorithm>
#include <string_view>

namespace trellis {
namespace {

using Amounts = std::vector<ResourceAmount>;

// Sums and maxima that keep requests of 0.
int64_t& amount_of(Amounts& amounts, ResourceId resource) {
  auto at = std::lower_bound(
      amounts.begin(), amounts.end(), resource,
      [](const ResourceAmount& item, ResourceId wanted) { return item.resource < wanted; });
  if (at == amounts.end() || at->resource != resource) at = amounts.insert(at, {resource, 0});
  return at->amount;
}

void add(Amounts& amounts, const Amounts& more) {
  for (const ResourceAmount& item : more) {
    int64_t& amount = amount_of(amounts, item.resource);
    amount = std::min(amount + item.amount, kMaxAmount);
  }
}

void raise_to(Amounts& amounts, const Amounts& other) {
  for (const ResourceAmount& item : other) {
    int64_t& amount = amount_of(amounts, item.resource);
    amount = std::max(amount, item.amount);
  }
}

// scheduler-plugins treats a sidecar like any other init container.
Amounts effective_request(const PodDemand& demand, NumaRules rules) {
  Amounts running;
  Amounts sidecars;
  Amounts starting;
  for (const ContainerDemand& container : demand.containers) {
    if (container.kind == ContainerKind::App) {
      add(running, container.requests);
    } else if (container.kind == ContainerKind::Sidecar && rules == NumaRules::Kubelet) {
      add(sidecars, container.requests);
      raise_to(starting, sidecars);
    } else {
      Amounts together = container.requests;
      add(together, sidecars);
      raise_to(starting, together);
    }
  }
  add(running, sidecars);
  raise_to(running, starting);
  if (rules == NumaRules::Kubelet) {
    for (const ResourceAmount& item : demand.pod_level) {
      amount_of(running, item.resource) = item.amount;
    }
  }
  add(running, demand.overhead);
  return running;
}

NumaKind kind_of(ResourceId resource, std::string_view name) {
  if (resource == kCpu) return NumaKind::Cpu;
  if (resource == kMemory || name.starts_with("hugepages-")) return NumaKind::Memory;
  if (name == "ephemeral-storage" || name == "storage") return NumaKind::Storage;
  return is_device_name(name) ? NumaKind::Device : NumaKind::Other;
}

NumaUnit unit_of(ContainerKind kind, const Amounts& amounts, Qos qos,
                 const ResourceTable& resources) {
  NumaUnit unit{kind, {}};
  for (const ResourceAmount& item : amounts) {
    NumaKind what = kind_of(item.resource, resources.name(item.resource));
    bool affine = what == NumaKind::Cpu || what == NumaKind::Memory;
    unit.requests.push_back({item.resource, item.amount, what, qos == Qos::Guaranteed || !affine});
  }
  return unit;
}

}  // namespace

bool is_device_name(std::string_view name) {
  return name.find('/') != std::string_view::npos &&
         name.find("kubernetes.io/") == std::string_view::npos;
}

NumaUnits numa_units(const PodDemand& demand, const ResourceTable& resources, NumaRules rules) {
  NumaUnits units;
  units.qos = demand.qos;
  for (const ContainerDemand& container : demand.containers) {
    units.containers.push_back(unit_of(container.kind, container.requests, demand.qos, resources));
    for (const ResourceAmount& item : container.requests) {
      units.asks_device = units.asks_device || is_device_name(resources.name(item.resource));
    }
  }
  auto whole = [&](NumaRules summed_by) {
    return unit_of(ContainerKind::App, effective_request(demand, summed_by), demand.qos, resources);
  };
  units.pod.push_back(whole(rules));
  units.scored_pod.push_back(whole(NumaRules::Upstream));
  return units;
}

}  // namespace trellis
