#include <utility>

#include "session/cluster/cluster.h"
#include "session/cluster/named_table.h"

namespace trellis {

// The counts of a node depend on its own devices, and on those that many nodes may reach.
void Cluster::note_reach(const devices::Reach& reach) {
  if (reach.form != devices::Reach::Form::OneNode) {
    changes_.devices = true;
    return;
  }
  NodeId node = find_node(reach.node);
  if (node.valid()) changes_.nodes.push_back(node);
}

void Cluster::note_devices(const DeviceClaim& claim) {
  if (!claim.claim || !claim.claim->allocation) return;
  const devices::Allocation& allocation = *claim.claim->allocation;
  // Devices that are of one node alone have this selector.
  bool of_one = allocation.nodes && allocation.nodes->labels.empty() &&
                allocation.nodes->names.size() == 1 &&
                allocation.nodes->names[0].op == devices::SelectorOperator::In &&
                allocation.nodes->names[0].values.size() == 1;
  // Pods that share a claim may stand only where its devices can be used.
  if (!of_one || !claim.made) {
    changes_.devices = changes_.devices || !allocation.results.empty();
    return;
  }
  NodeId node = find_node(allocation.nodes->names[0].values[0]);
  if (node.valid()) changes_.nodes.push_back(node);
}

void Cluster::log_claim(const std::string& name) {
  constexpr size_t kLeast = 1024;
  if (devices_.changed_claims.size() > 4 * devices_.claims.size() + kLeast) {
    devices_.first = devices_.end();
    devices_.changed_claims.clear();
  }
  devices_.changed_claims.push_back(name);
}

void Cluster::upsert(DeviceSlice slice) {
  ++generation_;
  ++devices_.epoch;
  auto known = devices_.slices.find(slice.name);
  if (known != devices_.slices.end()) note_reach(known->second.slice->reach);
  note_reach(slice.slice->reach);
  std::string name = slice.name;
  devices_.slices.insert_or_assign(std::move(name), std::move(slice));
}

void Cluster::upsert(DeviceClass device_class) {
  ++generation_;
  ++devices_.epoch;
  changes_.devices = true;
  std::string name = device_class.name;
  devices_.classes.insert_or_assign(std::move(name), std::move(device_class));
}

void Cluster::upsert(DeviceTaints taints) {
  ++generation_;
  ++devices_.epoch;
  changes_.devices = true;
  std::string name = taints.name;
  devices_.taints.insert_or_assign(std::move(name), std::move(taints));
}

void Cluster::upsert(DeviceClaim claim) {
  ++generation_;
  std::string name = full_key(vocabulary_.strings.view(claim.name_space), claim.name);
  auto known = devices_.claims.find(name);
  if (known != devices_.claims.end()) note_devices(known->second);
  note_devices(claim);
  log_claim(name);
  devices_.claims.insert_or_assign(std::move(name), std::move(claim));
}

void Cluster::remove_devices(const RemovedObjects& removed) {
  uint64_t before = devices_.epoch + devices_.end();
  for (const std::string& name : removed.device_slices) {
    auto known = devices_.slices.find(name);
    if (known == devices_.slices.end()) continue;
    note_reach(known->second.slice->reach);
    devices_.slices.erase(known);
    ++devices_.epoch;
  }
  for (const std::string& name : removed.device_classes) {
    devices_.epoch += devices_.classes.erase(name);
  }
  for (const std::string& name : removed.device_taints) {
    devices_.epoch += devices_.taints.erase(name);
  }
  bool shared = !removed.device_classes.empty() || !removed.device_taints.empty();
  changes_.devices = changes_.devices || shared;
  for (const RemovedObjects::Named& name : removed.device_claims) {
    auto known = devices_.claims.find(full_key(name.name_space, name.name));
    if (known == devices_.claims.end()) continue;
    note_devices(known->second);
    log_claim(known->first);
    devices_.claims.erase(known);
  }
  if (devices_.epoch + devices_.end() != before) ++generation_;
}

}  // namespace trellis
