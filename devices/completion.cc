#include "devices/completion.h"

#include <algorithm>
#include <utility>

namespace trellis::devices {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The one term of a selector of nodes.
void join(NodeTerm& to, const NodeTerm& term) {
  auto add = [](std::vector<NodeRequirement>& list, const std::vector<NodeRequirement>& more) {
    for (const NodeRequirement& requirement : more) {
      if (std::find(list.begin(), list.end(), requirement) == list.end()) {
        list.push_back(requirement);
      }
    }
  };
  add(to.labels, term.labels);
  add(to.names, term.names);
}

std::string name_of(const Request& request, const Alternative& alternative) {
  return alternative.name.empty() ? request.name : request.name + "/" + alternative.name;
}

}  // namespace

std::vector<Config> configuration_of(const Claim& claim, std::span<const ChosenRequest> chosen,
                                     const Inventory& inventory) {
  std::vector<Config> all;
  std::vector<std::pair<const std::string*, std::vector<std::string>>> classes;
  for (const ChosenRequest& choice : chosen) {
    const std::string& name = choice.alternative->device_class;
    auto known = std::find_if(classes.begin(), classes.end(),
                              [&](const auto& entry) { return *entry.first == name; });
    if (known == classes.end()) {
      known = classes.emplace(known, &name, std::vector<std::string>());
    }
    known->second.push_back(choice.name);
  }
  for (const auto& [name, requests] : classes) {
    const Class* device_class = inventory.find_class(*name);
    if (device_class == nullptr) continue;
    for (Config config : device_class->config) {
      config.of_class = true;
      config.requests = requests.size() == chosen.size() ? std::vector<std::string>() : requests;
      all.push_back(std::move(config));
    }
  }
  for (const Config& config : claim.config) {
    auto covered = std::count_if(chosen.begin(), chosen.end(), [&](const ChosenRequest& choice) {
      return config.requests.empty() || has(config.requests, choice.request->name) ||
             has(config.requests, choice.name);
    });
    if (covered == 0) continue;
    Config copy = config;
    if (static_cast<size_t>(covered) == chosen.size()) copy.requests.clear();
    all.push_back(std::move(copy));
  }
  return all;
}

std::optional<NodeTerm> nodes_of(std::span<const DeviceIndex> devices, const NodeView& node,
                                 const Inventory& inventory) {
  NodeTerm term;
  for (DeviceIndex index : devices) {
    const KnownDevice& known = inventory.devices()[index];
    const Slice& slice = inventory.slices()[known.slice];
    bool per_device = slice.reach.form == Reach::Form::PerDevice;
    const Reach& reach = per_device ? known.device->reach : slice.reach;
    if (reach.form == Reach::Form::OneNode || known.device->binds_to_node) {
      NodeTerm here;
      here.names.push_back({"metadata.name", SelectorOperator::In, {node.name}});
      return here;
    }
    if (reach.form != Reach::Form::Selector) continue;
    for (const NodeTerm& part : reach.terms) join(term, part);
  }
  if (term.labels.empty() && term.names.empty()) return std::nullopt;
  return term;
}

Allocation plain_allocation(const Claim& claim, std::span<const DeviceIndex> devices,
                            const NodeView& node, const Inventory& inventory) {
  Allocation allocation;
  const Request& request = claim.requests[0];
  const Alternative& alternative = request.alternatives[0];
  for (DeviceIndex index : devices) {
    const KnownDevice& known = inventory.devices()[index];
    allocation.results.push_back({.request = name_of(request, alternative),
                                  .id = known.id,
                                  .tolerations = alternative.tolerations,
                                  .binding_conditions = known.device->binding_conditions,
                                  .binding_failures = known.device->binding_failures});
  }
  allocation.nodes = nodes_of(devices, node, inventory);
  return allocation;
}

Allocation allocation_for(const Claim& claim, Allocation devices, const Inventory& inventory) {
  std::vector<ChosenRequest> chosen;
  for (const Request& request : claim.requests) {
    for (const Alternative& alternative : request.alternatives) {
      std::string name = name_of(request, alternative);
      bool used = std::any_of(devices.results.begin(), devices.results.end(),
                              [&](const Result& result) { return result.request == name; });
      if (used) chosen.push_back({&request, &alternative, std::move(name)});
    }
  }
  devices.config = configuration_of(claim, chosen, inventory);
  return devices;
}

}  // namespace trellis::devices
