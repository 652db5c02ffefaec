// predicates: Kubernetes' own requirements on a node. Ready and schedulable, taints, nodeSelector,
// required node affinity (all operators, matchFields), declared features, host ports.
//
// A class filter, except for host ports and matchFields, which differ between nodes of one class.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <utility>
#include <vector>

#include "framework/plugin.h"

namespace trellis {

class Predicates : public Plugin, public ClassFilter, public NodeCounter, public PlacementListener {
 public:
  std::string_view name() const override { return "predicates"; }
  void open(const View& view, Hooks& hooks) override;

  ReasonCode verdict(PodClassId pod_class, NodeClassId node_class) const override;
  void append_verdicts(PodClassId pod_class, NodeClassId node_class,
                       std::vector<ReasonCode>& codes) const override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;
  void append_refusals(PodClassId pod_class, FitMode mode, NodeId node,
                       std::vector<ReasonCode>& codes) const override;

  bool tracks(PodClassId pod_class) const override;
  void placed(PodClassId pod_class, NodeId node, Presence presence) override;
  void removed(PodClassId pod_class, NodeId node, Presence presence) override;

 private:
  bool refuses(ReasonCode code, const PodSpec& spec, const NodeClass& node) const;
  bool refuses(ReasonCode code, const PodSpec& spec, NodeId node) const;

  const View* view_ = nullptr;
  // Ports in use, by node; a port occurs twice where pods that already run both hold it.
  absl::flat_hash_map<uint32_t, std::vector<HostPort>> ports_;
};

}  // namespace trellis
