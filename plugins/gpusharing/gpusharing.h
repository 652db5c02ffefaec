// gpusharing: pods that ask for parts of GPUs (gpu-fraction, gpu-memory, gpu-fraction-num-devices).
//
// Devices are tracked one by one (framework/node_state.h). A pod that wants parts of several
// devices takes the same portion of that many different ones. Among devices `binpack` takes the
// fullest that still holds the portion, `spread` the emptiest; a tie goes to the lower index.
#pragma once

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
  bool tells_apart(PodClassId pod_class, FitMode) const override { return applies(pod_class); }
  // 1 where devices that are shared already can take the pod.
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;
  GpuGrant grant(PodClassId pod_class, FitMode mode, NodeId node) const override;

 private:
  int64_t portion_on(PodClassId pod_class, NodeId node) const;
  int64_t pods_that_fit(PodClassId pod_class, FitMode mode, NodeId node) const;

  const View* view_ = nullptr;
};

}  // namespace trellis
