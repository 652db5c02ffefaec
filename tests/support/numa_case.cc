#include "tests/support/numa_case.h"

#include <algorithm>
#include <string_view>

#include "plugins/numa/alignment.h"
#include "plugins/numa/numa_policy.h"
#include "plugins/numa/numa_score.h"
#include "server/manifest/quantity.h"

namespace trellis {
namespace {

using Json = nlohmann::json;

int64_t amount(ResourceId resource, const Json& quantity) {
  bool milli = resource == kCpu || ResourceTable::is_gpu(resource);
  return parse_quantity(quantity.get<std::string>(), milli ? 3 : 0).value().amount;
}

NumaTopology read_topology(const Json& object, ResourceTable& resources) {
  NumaAttributes attributes;
  for (const Json& policy : object.value("topologyPolicies", Json::array())) {
    attributes.policies.push_back(policy);
  }
  for (const Json& attribute : object.value("attributes", Json::array())) {
    attributes.attributes.push_back({attribute.at("name"), attribute.at("value")});
  }
  std::vector<NumaZoneRecord> records;
  for (const Json& zone : object.value("zones", Json::array())) {
    if (zone.at("type") != "Node") continue;
    NumaZoneRecord& record = records.emplace_back();
    record.name = zone.at("name");
    for (const Json& one : zone.value("resources", Json::array())) {
      ResourceId resource = resources.intern(one.at("name").get<std::string>());
      record.resources.push_back({resource, amount(resource, one.at("capacity")),
                                  amount(resource, one.at("allocatable")),
                                  amount(resource, one.at("available"))});
    }
    for (const Json& cost : zone.value("costs", Json::array())) {
      record.costs.push_back({cost.at("name"), cost.at("value")});
    }
  }
  return make_numa_topology(std::move(attributes), records);
}

NumaStrategy strategy_of(std::string_view name) {
  if (name == "MostAllocated") return NumaStrategy::MostAllocated;
  if (name == "BalancedAllocation") return NumaStrategy::BalancedAllocation;
  if (name == "LeastNUMANodes") return NumaStrategy::LeastNumaNodes;
  return NumaStrategy::LeastAllocated;
}

// Kubernetes' rule; the cases have no pod-level resources.
Qos qos_of(const Json& spec) {
  bool any = false;
  bool guaranteed = true;
  auto look = [&](const Json& container) {
    Json resources = container.value("resources", Json::object());
    Json requests = resources.value("requests", Json::object());
    Json limits = resources.value("limits", Json::object());
    for (const char* name : {"cpu", "memory"}) {
      auto read = [&](const Json& from) {
        return from.contains(name) ? parse_quantity(from[name].get<std::string>(), 3)->amount : 0;
      };
      any = any || read(requests) > 0 || read(limits) > 0;
      int64_t request = requests.contains(name) ? read(requests) : read(limits);
      guaranteed = guaranteed && request > 0 && request == read(limits);
    }
  };
  for (const Json& one : spec.value("initContainers", Json::array())) look(one);
  for (const Json& one : spec.at("containers")) look(one);
  if (!any) return Qos::BestEffort;
  return guaranteed ? Qos::Guaranteed : Qos::Burstable;
}

}  // namespace

NumaCase::NumaCase(const Json& input) {
  for (const Json& object : input.at("objects")) {
    std::string kind = object.at("kind");
    std::string name = object.at("metadata").at("name");
    if (kind == "Pod") read_pod(object);
    if (kind == "NodeResourceTopology") {
      topologies_.emplace(name, read_topology(object, resources_));
    }
    if (kind != "Node") continue;
    ResourceList& list = nodes_[name];
    for (const ResourceAmount& item : amounts(object.at("status").at("allocatable"))) {
      list.set(item.resource, item.amount);
    }
  }
  Json strategy = input.at("config").value("scoringStrategy", Json::object());
  options_.strategy = strategy_of(strategy.value("type", "LeastAllocated"));
  for (const Json& one : strategy.value("resources", Json::array())) {
    options_.weights.push_back(
        {resources_.intern(one.at("name").get<std::string>()), one.value("weight", int64_t{1})});
  }
}

std::vector<ResourceAmount> NumaCase::amounts(const Json& quantities) {
  std::vector<ResourceAmount> read;
  for (const auto& [name, quantity] : quantities.items()) {
    ResourceId resource = resources_.intern(name);
    read.push_back({resource, amount(resource, quantity)});
  }
  std::sort(read.begin(), read.end());
  return read;
}

void NumaCase::read_pod(const Json& pod) {
  const Json& spec = pod.at("spec");
  demand_.qos = qos_of(spec);
  auto requests = [&](const Json& container) {
    Json named = container.value("resources", Json::object());
    Json all = named.value("requests", Json::object());
    Json limits = named.value("limits", Json::object());
    for (const auto& [name, quantity] : limits.items()) {
      if (!all.contains(name)) all[name] = quantity;
    }
    return amounts(all);
  };
  for (const Json& one : spec.value("initContainers", Json::array())) {
    bool stays = one.value("restartPolicy", "") == "Always";
    demand_.containers.push_back(
        {stays ? ContainerKind::Sidecar : ContainerKind::Init, requests(one)});
  }
  for (const Json& one : spec.at("containers")) {
    demand_.containers.push_back({ContainerKind::App, requests(one)});
  }
  demand_.overhead = amounts(spec.value("overhead", Json::object()));
}

NumaAnswer NumaCase::answer(const std::string& node, NumaRules rules,
                            NumaAlignment alignment) const {
  NumaOptions options = options_;
  options.rules = rules;
  options.alignment = alignment;
  NumaUnits units = numa_units(demand_, resources_, rules);
  auto found = topologies_.find(node);
  if (found == topologies_.end()) {
    return {true, units.qos == Qos::Guaranteed ? 0 : kBestNumaScore};
  }
  const NumaTopology& topology = found->second;
  NumaNode zones{&topology, numa_settings(topology.attributes, rules), &nodes_.at(node),
                 topology.available};
  return {align(units, zones, options).fits, numa_score(units, zones, options)};
}

}  // namespace trellis
