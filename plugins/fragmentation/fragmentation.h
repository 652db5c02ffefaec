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

#include <cstdint>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "plugins/fragmentation/gpu_models.h"
#include "plugins/fragmentation/node_rooms.h"
#include "plugins/fragmentation/pod_mix.h"
#include "plugins/fragmentation/room_value.h"

namespace trellis {

class Fragmentation : public Plugin, public NodeScorer, public ArrivalListener {
 public:
  std::string_view name() const override { return "fragmentation"; }
  void open(const View& view, Hooks& hooks) override;

  void arrived(std::span<const PodClassId> pod_classes) override;
  LearnedMix learned(std::span<const PodClassId> present) const override;
  void recall(const LearnedMix& mix) override;

  bool distinguishes(PodClassId pod_class, FitMode mode) const override;
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;
  uint64_t score_epoch() const override { return epoch_; }

 private:
  // What the last call of score() found for a room.
  struct Loss {
    uint64_t scoring = 0;
    double milli = 0;
  };

  PodShape shape_of(const PodSpec& spec) const;
  GpuModels models_of(const PodSpec& spec) const;
  int32_t portion_on(const GpuShare& share, NodeId node) const;
  int32_t model_bit(StrId model) const;
  int32_t model_of(NodeId node) const;
  void name_models(std::span<const PodClassId> pod_classes);
  RoomCounts capacities() const;
  bool renew_typical();
  bool are_given(std::span<const TypicalPod> typical);
  void score_density(const PodSpec& spec, std::span<const NodeId> nodes, double weight,
                     std::span<double> out) const;
  bool shared_holds(const GpuShare& share, NodeId node) const;
  void follow_rooms() const;
  double loss(NodeRooms::RoomId room, const PodShape& shape) const;

  const View* view_ = nullptr;
  StrId model_label_;
  PodMix mix_;
  bool recalled_ = false;  // and its pods have not arrived again yet
  RoomValue value_;
  int64_t next_typical_ = 0;  // when so many pods have arrived
  int64_t next_weights_ = 0;
  uint64_t epoch_ = 1;
  mutable GpuModelBits models_;
  mutable NodeRooms rooms_;
  // By room; of one generation of rooms_, values_ also of one epoch.
  mutable std::vector<double> values_;  // NaN: not known yet
  mutable std::vector<Loss> losses_;
  mutable uint64_t values_of_ = 0;
  mutable uint64_t values_epoch_ = 0;
  mutable uint64_t scoring_ = 0;
};

}  // namespace trellis
