#include "plugins/fragmentation/node_rooms.h"

#include <algorithm>

#include "framework/gpu_share.h"
#include "session/snapshot/change_log.h"

namespace trellis {
namespace {

constexpr size_t kMostRooms = size_t{1} << 16;

}  // namespace

void NodeRooms::follow(const View& view, StrId model_label, GpuModelBits& models) {
  auto changed = read_to_ ? view.changes->since(*read_to_) : std::nullopt;
  size_t nodes = view.nodes->size();
  bool restarts = !changed || of_node_.size() != nodes || rooms_.size() > kMostRooms + nodes;
  if (restarts) {
    ++generation_;
    of_node_.assign(nodes, kNoGpus);
    rooms_.assign(1, NodeRoom());
    ids_.clear();
    for (NodeId node(0U); node.value < nodes; ++node.value) read(view, node, model_label, models);
  } else {
    for (NodeId node : *changed) read(view, node, model_label, models);
  }
  read_to_ = view.changes->end();
}

void NodeRooms::read(const View& view, NodeId node, StrId model_label, GpuModelBits& models) {
  const NodeState& state = *view.state;
  of_node_[node] = kNoGpus;
  if (state.allocatable[kGpu][node] <= 0) return;
  NodeRoom room;
  room.cpu_milli = state.future[kCpu][node];
  room.memory_bytes = state.future[kMemory][node];
  room.whole = counted_gpus(state.future[kGpu][node]);
  for (int64_t left : state.devices(node, FitMode::Future)) {
    if (left > 0 && left < kWholeDevice) room.parts.push_back(static_cast<int16_t>(left));
  }
  std::sort(room.parts.begin(), room.parts.end());
  StrId model = find_label((*view.nodes)[node].labels, model_label);
  room.model = models.bit(model, view.vocabulary->strings);
  auto [known, is_new] = ids_.try_emplace(room, static_cast<RoomId>(rooms_.size()));
  if (is_new) rooms_.push_back(std::move(room));
  of_node_[node] = known->second;
}

RoomCounts NodeRooms::counts(const IndexedVector<NodeId, Node>& nodes) const {
  RoomCounts counts;
  for (NodeId node(0U); node.value < of_node_.size(); ++node.value) {
    RoomId id = of_node_[node];
    if (id != kNoGpus && !is_closed(nodes[node])) ++counts[rooms_[id]];
  }
  return counts;
}

}  // namespace trellis
