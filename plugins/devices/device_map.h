// The devices of the cluster, and what each node reaches of them.
//
// Cost: refresh() O(devices) when slices, classes, taints or labels of nodes changed; a node is
// looked at when it is first asked for.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "devices/inventory.h"
#include "devices/node_devices.h"
#include "framework/view.h"

namespace trellis {

class DeviceMap {
 public:
  // True: the devices, or the nodes, are other ones than at the last call.
  bool refresh(const View& view);

  const devices::Inventory& inventory() const { return *inventory_; }
  const devices::NodeView& node(NodeId node) const;
  const devices::NodeDevices& devices_of(NodeId node) const;
  // Whether the node meets the term of an allocation, which may name any label.
  bool meets(NodeId node, const devices::NodeTerm& term) const;
  // Whether the node reaches devices that are not its own alone.
  bool shares(NodeId node) const;
  // Whether any device can be reached from several nodes.
  bool any_shared() const { return !inventory_->slices_of_many_nodes().empty(); }
  // Whether the allocation has devices of a pool that several nodes may reach.
  bool is_common(const devices::Allocation& allocation) const;

  // Calls use(index) for each device of this name, of any generation of its pool.
  template <class Use>
  void each_device(const devices::DeviceId& id, Use use) const {
    for (uint32_t slice : inventory_->slices_of(id.driver, id.pool)) {
      const std::vector<devices::Device>& all = inventory_->slices()[slice].devices;
      for (uint32_t i = 0; i < all.size(); ++i) {
        if (all[i].name == id.device) use(inventory_->first_device(slice) + i);
      }
    }
  }

 private:
  enum class Shares : uint8_t { Unknown, No, Yes };

  devices::NodeView named(NodeId node) const;
  devices::NodeView labelled(NodeId node) const;

  const View* view_ = nullptr;
  uint64_t epoch_ = UINT64_MAX;
  uint64_t label_generation_ = 0;
  size_t nodes_read_ = 0;
  std::unique_ptr<devices::Inventory> inventory_;
  // By id; null: not asked for.
  mutable std::vector<std::unique_ptr<devices::NodeView>> nodes_;
  mutable std::vector<std::unique_ptr<devices::NodeDevices>> devices_;
  mutable std::vector<Shares> shares_;  // by id
};

}  // namespace trellis
