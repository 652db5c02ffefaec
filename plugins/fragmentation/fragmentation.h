// fragmentation: places pods where what is left stays useful for the pods that are likely to come
// (placementStrategy.gpu: fragmentation).
//
// The plugin learns the mix of pods from those that arrive. It values the room on each node by
// this mix (room_value.h); a node scores the higher, the less of its value a pod takes:
// 9 x (1 - d / (1 + |d|)) / 2, where d is the loss in GPUs. A pod without GPUs loses nothing on a
// node without GPUs, so that it goes there first.
// Of a node's devices, gpusharing grants a share the fullest that holds it; the value reckons with
// that.
// The weights of the value change when a session opens, after a number of arrivals; between these
// moments scores depend on the pod class and the node only.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <cstdint>
#include <span>

#include "framework/plugin.h"
#include "plugins/fragmentation/node_room.h"
#include "plugins/fragmentation/pod_mix.h"
#include "plugins/fragmentation/room_value.h"

namespace trellis {

class Fragmentation : public Plugin, public NodeScorer, public ArrivalListener {
 public:
  std::string_view name() const override { return "fragmentation"; }
  void open(const View& view, Hooks& hooks) override;

  void arrived(std::span<const PodClassId> pod_classes) override;

  bool tells_apart(PodClassId pod_class, FitMode mode) const override;
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;
  uint64_t score_epoch() const override { return epoch_; }

 private:
  PodShape shape_on(PodClassId pod_class, NodeId node) const;
  PodShape shape_of(const PodSpec& spec) const;
  GpuModels models_of(const PodSpec& spec) const;
  int32_t model_bit(StrId model) const;
  NodeRoom room_of(NodeId node) const;
  RoomCounts rooms() const;
  RoomCounts capacities() const;
  double value_of(const NodeRoom& room) const;

  const View* view_ = nullptr;
  StrId model_label_;
  PodMix mix_;
  RoomValue value_;
  int64_t next_table_ = 0;  // when so many pods have arrived
  int64_t next_weights_ = 0;
  uint64_t epoch_ = 1;
  mutable absl::flat_hash_map<uint32_t, int32_t> model_bits_;
  mutable absl::flat_hash_map<NodeRoom, double> known_values_;  // never iterated
};

}  // namespace trellis
