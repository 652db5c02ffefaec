// topologyspread: topologySpreadConstraints as Kubernetes' PodTopologySpread defines them.
// DoNotSchedule refuses nodes, ScheduleAnyway scores them.
//
// Pods that are leaving and spares do not count; promised pods do.
#pragma once

#include <memory>
#include <vector>

#include "framework/placed_pods.h"
#include "framework/plugin.h"
#include "plugins/topologyspread/spread_counts.h"

namespace trellis {

class TopologySpread : public Plugin, public PodLinks, public LinkScorer, public PlacementListener {
 public:
  std::string_view name() const override { return "topologyspread"; }
  void open(const View& view, Hooks& hooks) override;

  bool links(PodClassId pod_class) const override;
  void link_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  ReasonCode link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const override;
  uint64_t affinity_epoch() const override { return affinity_epoch_; }
  bool order_matters(PodClassId pod_class) const override { return links(pod_class); }
  void binding_keys(PodClassId, FitMode, std::vector<StrId>&) const override {}
  void exclusive_keys(PodClassId, std::vector<StrId>&) const override {}
  int64_t most_alone(PodClassId pod_class, std::span<const NodeId> nodes,
                     std::span<const int32_t> fits) const override;
  bool meets_affinity(PodClassId, PodClassId) const override { return false; }

  bool scores_links(PodClassId pod_class) const override;
  void score_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  void score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes, double weight,
                   std::span<double> out) const override;

  bool tracks(PodClassId pod_class) const override { return !spec(pod_class).matched.empty(); }
  void placed(PodClassId pod_class, NodeId node, Presence presence) override {
    change(pod_class, node, presence, 1);
  }
  void removed(PodClassId pod_class, NodeId node, Presence presence) override {
    change(pod_class, node, presence, -1);
  }
  bool distinguishes_spares() const override { return true; }

 private:
  // The constraints of a class, counted.
  struct Counted {
    std::vector<SpreadCounts> required;
    std::vector<SpreadCounts> preferred;
  };
  // A constraint of a class, to be updated when a pod that it counts is placed.
  struct Watcher {
    PodClassId pod_class;
    bool required = true;
    size_t index = 0;
  };

  const PodSpec& spec(PodClassId pod_class) const { return (*view_->pod_classes)[pod_class]; }
  Counted& counted(PodClassId pod_class) const;
  std::vector<SpreadCounts> count(PodClassId pod_class, bool required) const;
  void change(PodClassId pod_class, NodeId node, Presence presence, int64_t by);
  int64_t on_node(const SpreadConstraint& constraint, NodeId node) const;
  int64_t raw_score(const Counted& constraints, std::span<const double> factors, NodeId node) const;

  const View* view_ = nullptr;
  StrId hostname_;
  uint64_t generation_ = 0;
  uint64_t affinity_epoch_ = 0;
  size_t classes_read_ = 0;
  PlacedPods placed_;
  IndexedVector<PodSelectorId, std::vector<PodClassId>> classes_of_;
  // Made when first read.
  mutable IndexedVector<PodClassId, std::unique_ptr<Counted>> counted_;
  mutable IndexedVector<PodSelectorId, std::vector<Watcher>> watchers_;
};

}  // namespace trellis
