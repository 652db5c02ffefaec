// The rooms of all nodes, kept from one call to the next. Nodes in the same state share one room,
// so that what depends on the room is worked out once for all of them.
//
// Cost: follow() O(nodes that changed since); of() O(1).
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "framework/view.h"
#include "plugins/fragmentation/gpu_models.h"
#include "plugins/fragmentation/node_room.h"
#include "plugins/fragmentation/room_value.h"

namespace trellis {

class NodeRooms {
 public:
  // A room, by the order in which rooms were first met.
  using RoomId = uint32_t;
  static constexpr RoomId kNoGpus = 0;  // of nodes without GPUs

  // Brings the rooms up to date. `model_label`: the label of a node's GPU model.
  void follow(const View& view, StrId model_label, GpuModelBits& models);
  // All rooms are new: labels or bits of models are others.
  void restart() { read_to_.reset(); }

  RoomId id_of(NodeId node) const { return of_node_[node]; }
  const NodeRoom& room(RoomId id) const { return rooms_[id]; }
  size_t size() const { return rooms_.size(); }
  // Grows when all ids are new.
  uint64_t generation() const { return generation_; }
  // How many nodes have each room; those without GPUs, and those that take no pods, left out.
  RoomCounts counts(const IndexedVector<NodeId, Node>& nodes) const;

 private:
  void read(const View& view, NodeId node, StrId model_label, GpuModelBits& models);

  std::optional<uint64_t> read_to_;  // position in the change log
  uint64_t generation_ = 0;
  IndexedVector<NodeId, RoomId> of_node_;
  std::vector<NodeRoom> rooms_;
  absl::flat_hash_map<NodeRoom, RoomId> ids_;  // never iterated
};

}  // namespace trellis
