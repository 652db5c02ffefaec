// podaffinity: required and preferred affinity and anti-affinity between pods, as Kubernetes'
// InterPodAffinity defines them, including the terms of pods that already have a node.
//
// Anti-affinity over a key whose values are single nodes (a hostname) depends on each node alone,
// and so is a NodeCounter; everything else is a PodLinks. Leaving pods count in FitMode::Now. A
// promised pod repels at once, and satisfies affinity only in FitMode::Future; a spare repels, and
// satisfies none.
#pragma once

#include <vector>

#include "framework/plugin.h"
#include "plugins/podaffinity/pod_cells.h"

namespace trellis {

class PodAffinity : public Plugin,
                    public NodeCounter,
                    public PodLinks,
                    public LinkScorer,
                    public PlacementListener {
 public:
  std::string_view name() const override { return "podaffinity"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;

  bool links(PodClassId pod_class) const override;
  void link_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  ReasonCode link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const override;
  uint64_t affinity_epoch() const override { return cells_.crossings(); }
  bool order_matters(PodClassId pod_class) const override;
  void binding_keys(PodClassId pod_class, FitMode mode, std::vector<StrId>& keys) const override;
  void exclusive_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  int64_t most_alone(PodClassId, std::span<const NodeId>, std::span<const int32_t>) const override {
    return INT64_MAX;
  }
  bool meets_affinity(PodClassId pod_class, PodClassId other) const override;

  bool scores_links(PodClassId pod_class) const override;
  void score_keys(PodClassId pod_class, std::vector<StrId>& keys) const override;
  void score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes, double weight,
                   std::span<double> out) const override;

  bool tracks(PodClassId pod_class) const override { return cells_.tracks(pod_class); }
  void placed(PodClassId pod_class, NodeId node, Presence presence) override {
    cells_.change(pod_class, node, presence, 1);
  }
  void removed(PodClassId pod_class, NodeId node, Presence presence) override {
    cells_.change(pod_class, node, presence, -1);
  }
  bool distinguishes_spares() const override { return true; }

 private:
  // A class's terms as tables.
  struct Terms {
    bool known = false;
    bool attracted = false;        // has required affinity
    bool unmeetable = false;       // a required affinity term selects nothing
    bool attracts_itself = false;  // it meets all its own required affinity terms
    std::vector<CellTableId> affinity;
    std::vector<CellTableId> anti;
    std::vector<StrId> self_anti;  // keys of anti-affinity terms that select the class itself
    std::vector<std::pair<CellTableId, int64_t>> preferred;
  };

  const PodSpec& spec(PodClassId pod_class) const { return (*view_->pod_classes)[pod_class]; }
  const Terms& terms(PodClassId pod_class) const;
  void read_terms(PodClassId pod_class, Terms& terms) const;
  template <class Use>
  void each_repeller(PodClassId pod_class, Use use) const;
  template <class Use>
  void each_attractor(PodClassId pod_class, Use use) const;
  ReasonCode affinity_verdict(const Terms& terms, FitMode mode, NodeId node) const;
  bool alone(const Terms& terms, FitMode mode) const;

  const View* view_ = nullptr;
  mutable PodCells cells_;  // counts a table when it is first read
  mutable IndexedVector<PodClassId, Terms> terms_;
};

}  // namespace trellis
