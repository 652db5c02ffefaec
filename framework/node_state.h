// The state of nodes that changes while scheduling, as columns: one int64 for each (resource,
// node).
//
// Words: `now` is the amount that no pod holds and that is promised to none; `future` is that
// amount once the leaving pods have left. The GPU columns count devices that no pod shares. A
// device that is shared in parts (it is *open*) is subtracted from them as a whole; its rest is in
// `device_now` and `device_future`, in thousandths.
// Invariants: now <= future, cell by cell, unless a node is over-full to begin with; a device's
// cells are within 0..1000, and 1000 means that no pod shares it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/resources.h"

namespace trellis {

// Whether resources of leaving pods count as free.
enum class FitMode : uint8_t { Now, Future };

struct NodeState {
  using Column = IndexedVector<NodeId, int64_t>;

  IndexedVector<ResourceId, Column> allocatable;
  IndexedVector<ResourceId, Column> now;
  IndexedVector<ResourceId, Column> future;
  IndexedVector<NodeId, uint32_t> first_device;  // of each node; one more entry than nodes
  std::vector<int64_t> device_now;
  std::vector<int64_t> device_future;

  const IndexedVector<ResourceId, Column>& columns(FitMode mode) const {
    return mode == FitMode::Now ? now : future;
  }
  std::span<const int64_t> devices(NodeId node, FitMode mode) const {
    const std::vector<int64_t>& cells = mode == FitMode::Now ? device_now : device_future;
    uint32_t first = first_device[node];
    return {cells.data() + first, first_device[NodeId(node.value + 1)] - first};
  }
};

}  // namespace trellis
