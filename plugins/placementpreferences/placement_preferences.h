// Plugin placementpreferences: distributes the pods of a service over nodes by the service's own
// preferences (SwarmKit's model).
//
// A class's preferences (PodSpec::placement) divide its pods among groups of nodes, and choose the
// nodes inside them; scores do not. `max_pods_per_node` limits the pods of the service on a node.
// Where a list of preferences packs or has weights, dividing many pods at once differs from
// dividing them one by one. So pods that come one by one, of one gang or of many, follow a plan
// that was made for all waiting pods of the service, for as long as the plan holds.
#pragma once

#include <absl/container/flat_hash_map.h>

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "framework/plugin.h"
#include "plugins/placementpreferences/division_plan.h"
#include "plugins/placementpreferences/kept_groups.h"
#include "plugins/placementpreferences/service_groups.h"

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
  bool distinguishes_spares() const override { return true; }

  bool divides(PodClassId pod_class) const override;
  bool may_refuse(PodClassId pod_class) const override;
  std::span<const NodePods> divide(const DivisionQuery& query) override;
  std::vector<DividedGroup> explain(const DivisionQuery& query) override;

 private:
  const PlacementPreferences& preferences(PodClassId pod_class) const {
    return (*view_->pod_classes)[pod_class].placement;
  }
  bool depends_on_rest(PodClassId pod_class) const;
  bool follow(const DivisionPlan& plan, const DivisionQuery& query);
  int64_t waiting(const DivisionQuery& query);
  void count(PodClassId pod_class, NodeId node, Presence presence, int64_t change);

  const View* view_ = nullptr;
  ServicePods pods_;
  KeptGroups kept_{pods_};
  absl::flat_hash_map<uint32_t, DivisionPlan> plans_;  // by service; never iterated
  // Gangs with pods, by the class of their first pod; empty: not looked up in this session.
  std::vector<std::pair<PodClassId, GangId>> gangs_;
  std::vector<NodePods> parts_;  // the last answer
};

}  // namespace trellis
