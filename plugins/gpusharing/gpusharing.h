// gpusharing: pods that request parts of GPUs (gpu-fraction, gpu-memory, gpu-fraction-num-devices).
//
// Devices are tracked one by one (framework/node_state.h). A pod that requests parts of several
// devices takes the same portion of that many different devices. `binpack` and `fragmentation` take
// the fullest device that still holds the portion, `spread` the emptiest; a tie goes to the lower
// index. A node whose pods hold more GPUs than it has takes no parts. With `binpack` a pod that
// would have to open a device waits instead while another device of the node, which stays shared,
// comes to have room for it. After a choice of devices the node still takes all but one of the pods
// that it could take before. GPUs that MIG divides are not shared.
#pragma once

#include <boost/container/small_vector.hpp>
#include <tuple>

#include "framework/plugin.h"

namespace trellis {

class GpuSharing : public Plugin, public NodeCounter, public NodeScorer, public DeviceGranter {
 public:
  std::string_view name() const override { return "gpusharing"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;
  // Where fragmentation scores nodes, it values devices that are shared already; `spread` has no
  // use for them.
  bool distinguishes(PodClassId pod_class, FitMode) const override {
    return applies(pod_class) && view_->config->placement_strategy.gpu == Strategy::Binpack;
  }
  // 1 where devices that pods already share can take the pod.
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;
  GpuGrant grant(PodClassId pod_class, FitMode mode, NodeId node, int64_t followers) const override;
  GpuChoices choices(PodClassId pod_class, FitMode mode, NodeId node) const override;

 private:
  struct Device {
    int32_t index = 0;
    int64_t left = 0;  // in the requested mode
    int64_t left_now = 0;
    bool opens = false;      // no pod shares it in future
    bool opens_now = false;  // no pod shares it now, and that counts
    auto key() const { return std::tuple(left, left_now, opens, opens_now); }
  };
  // The devices that hold the portion, in the order to take them.
  struct Devices {
    boost::container::small_vector<Device, 16> all;
    // Whole pods hold devices without an index. So of the devices that no pod shares, only as many
    // may be opened as the GPU columns have free.
    int64_t openings = 0;
    int64_t openings_now = 0;
  };

  int64_t portion_on(PodClassId pod_class, NodeId node) const;
  bool waits_for_shared(NodeId node, int64_t portion) const;
  Devices devices_for(FitMode mode, NodeId node, int64_t portion) const;
  int64_t pods_that_fit(PodClassId pod_class, FitMode mode, NodeId node) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
