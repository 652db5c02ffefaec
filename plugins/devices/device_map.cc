#include "plugins/devices/device_map.h"

#include <algorithm>
#include <utility>

#include "framework/device_claims.h"
#include "framework/node_values.h"

namespace trellis {

bool DeviceMap::refresh(const View& view) {
  view_ = &view;
  const DeviceStock& stock = *view.devices;
  bool same_nodes =
      nodes_read_ == view.nodes->size() && label_generation_ == view.node_values->generation();
  bool same_devices = epoch_ == stock.epoch && inventory_ != nullptr;
  if (same_nodes && same_devices) return false;
  nodes_read_ = view.nodes->size();
  label_generation_ = view.node_values->generation();
  epoch_ = stock.epoch;
  devices_.clear();
  devices_.resize(nodes_read_);
  nodes_.clear();
  nodes_.resize(nodes_read_);
  shares_.assign(nodes_read_, Shares::Unknown);
  if (same_devices) return true;
  std::vector<devices::Slice> slices;
  std::vector<devices::Class> classes;
  std::vector<devices::TaintRule> rules;
  slices.reserve(stock.slices.size());
  for (const auto& [name, slice] : stock.slices) slices.push_back(*slice.slice);
  for (const auto& [name, one] : stock.classes) classes.push_back(*one.device_class);
  for (const auto& [name, taints] : stock.taints) rules.push_back(*taints.rule);
  inventory_ =
      std::make_unique<devices::Inventory>(std::move(slices), std::move(classes), std::move(rules));
  return true;
}

const devices::NodeView& DeviceMap::node(NodeId node) const {
  std::unique_ptr<devices::NodeView>& known = nodes_[node.value];
  if (known) return *known;
  // Own slices need no labels.
  known = std::make_unique<devices::NodeView>(any_shared() ? labelled(node) : named(node));
  return *known;
}

const devices::NodeDevices& DeviceMap::devices_of(NodeId id) const {
  std::unique_ptr<devices::NodeDevices>& known = devices_[id.value];
  if (!known) known = std::make_unique<devices::NodeDevices>(*inventory_, node(id));
  return *known;
}

devices::NodeView DeviceMap::named(NodeId node) const {
  devices::NodeView made;
  made.name = (*view_->nodes)[node].name;
  return made;
}

devices::NodeView DeviceMap::labelled(NodeId node) const {
  devices::NodeView made = named(node);
  const StringTable& strings = view_->vocabulary->strings;
  for (const Label& label : (*view_->nodes)[node].labels) {
    made.labels.emplace_back(strings.view(label.key), strings.view(label.value));
  }
  return made;
}

bool DeviceMap::meets(NodeId id, const devices::NodeTerm& term) const {
  if (any_shared()) return devices::matches(term, node(id));
  return devices::matches(term, labelled(id));
}

bool DeviceMap::shares(NodeId id) const {
  Shares& known = shares_[id.value];
  if (known != Shares::Unknown) return known == Shares::Yes;
  bool found = std::ranges::any_of(inventory_->slices_of_many_nodes(), [&](uint32_t index) {
    const devices::Slice& slice = inventory_->slices()[index];
    if (slice.reach.form != devices::Reach::Form::PerDevice) {
      return devices::reaches(slice.reach, node(id));
    }
    return std::ranges::any_of(slice.devices, [&](const devices::Device& device) {
      return devices::reaches(device.reach, node(id));
    });
  });
  known = found ? Shares::Yes : Shares::No;
  return found;
}

bool DeviceMap::is_common(const devices::Allocation& allocation) const {
  const std::vector<uint32_t>& common = inventory_->slices_of_many_nodes();
  if (common.empty()) return false;
  return std::ranges::any_of(allocation.results, [&](const devices::Result& result) {
    return std::ranges::any_of(
        inventory_->slices_of(result.id.driver, result.id.pool),
        [&](uint32_t slice) { return std::ranges::binary_search(common, slice); });
  });
}

}  // namespace trellis
