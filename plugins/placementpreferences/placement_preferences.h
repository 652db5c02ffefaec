// Plugin placementpreferences: where the pods of a service go, by its own wishes (SwarmKit's
// model).
//
// A class's wishes (PodSpec::placement) divide its pods among groups of nodes, and choose the nodes
// inside them; scores do not. `max_pods_per_node` is a count of what a node can take.
// Where a list packs or weighs, the answer for many pods is not that for one and one more: pods of
// a gang that come one by one follow a plan that was made for all of them, for as long as it holds.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "framework/plugin.h"
#include "plugins/placementpreferences/kept_groups.h"
#include "plugins/placementpreferences/service_pods.h"

namespace trellis {

class PlacementPreferencesPlugin : public Plugin,
                                   public NodeCounter,
                                   public PlacementListener,
                                   public PodDivider {
 public:
  std::string_view name() const override { return "placementpreferences"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;

  bool tracks(PodClassId pod_class) const override;
  void placed(PodClassId pod_class, NodeId node, Presence presence) override;
  void removed(PodClassId pod_class, NodeId node, Presence presence) override;

  bool divides(PodClassId pod_class) const override;
  bool may_refuse(PodClassId pod_class) const override;
  std::span<const NodeShare> divide(const DivisionQuery& query) override;
  std::vector<DividedGroup> explain(const DivisionQuery& query) override;

 private:
  // Pods of a class in the order in which they are to come.
  struct Plan {
    PodClassId pod_class;
    FitMode mode = FitMode::Now;
    std::vector<NodeId> among;  // empty: all
    int64_t service_pods = 0;   // that stood when it was made
    int64_t waiting = 0;        // that it was made for; not all may have found room
    std::vector<NodeId> sequence;
  };

  const PlacementPreferences& wishes(PodClassId pod_class) const {
    return (*view_->pod_classes)[pod_class].placement;
  }
  bool needs_plan(const DivisionQuery& query) const;
  bool follow_plan(const DivisionQuery& query);
  void take_from_plan(size_t first, int64_t pods);

  const View* view_ = nullptr;
  ServicePods pods_;
  KeptGroups kept_{pods_};
  Plan plan_;
  std::vector<NodeShare> shares_;  // the last answer
};

}  // namespace trellis
