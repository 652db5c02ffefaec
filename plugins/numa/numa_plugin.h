// numa: places pods on nodes whose Topology Manager will accept them, and accounts for the zones
// they take.
//
// A node with a NodeResourceTopology takes as many pods of a class as its zones hold, one after the
// other. Pods that the agent's last report does not include are charged: to the zones that the
// policy forces on them, else to every zone. The charge ends with the agent's next report. What
// pods held that have left since the last report is free in future, not now: the report shows it as
// used; while a pod is promised such zones, no other that needs zones is bound to the node. Pods of
// a zone group (PodDemand::zone_group) all go to one zone of one node, or to no node.
// Cost: what a class needs of a node is worked out once for all nodes of a form; after that a node
// costs its cells. Between sessions only nodes that changed are read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "framework/indexed_vector.h"
#include "framework/part_shortage.h"
#include "framework/plugin.h"
#include "plugins/numa/alignment.h"
#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_score.h"
#include "plugins/numa/zone_book.h"
#include "plugins/numa/zone_table.h"

namespace trellis {

class NumaPlugin : public Plugin,
                   public NodeCounter,
                   public PartJudge,
                   public NodeScorer,
                   public PlacementListener,
                   public BeforeBind,
                   public PodDescriber {
 public:
  std::string_view name() const override { return "numa"; }
  void open(const View& view, Hooks& hooks) override;

  bool applies(PodClassId pod_class) const override;
  void count_fit(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                 std::span<int32_t> counts) const override;
  ReasonCode refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;
  // A pod stays in its own zones only.
  bool may_stay(PodId pod, NodeId node) const override;
  PartRefusal part_refusal(PodClassId pod_class, FitMode mode, NodeId node) const override;

  bool distinguishes(PodClassId pod_class, FitMode mode) const override;
  void score(PodClassId pod_class, std::span<const NodeId> nodes, double weight,
             std::span<double> out) const override;

  bool tracks(PodClassId pod_class) const override { return applies(pod_class); }
  void placed(PodClassId pod_class, NodeId node, Presence presence) override;
  void removed(PodClassId pod_class, NodeId node, Presence presence) override;
  void pod_placed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;
  void pod_removed(PodId pod, PodClassId pod_class, NodeId node, Presence presence) override;
  void settled() override;

  void before_bind(PodId pod, NodeId node, int32_t rank,
                   std::vector<BindNote>& notes) const override;

  // The zones of the pod's containers, as far as they are known.
  void describe(PodId pod, NodeId node, std::vector<BindNote>& notes) const override;

 private:
  // What a class needs on nodes of one form.
  struct Plan {
    bool known = false;
    bool binds = false;    // such nodes may refuse pods
    bool by_zone = false;  // each pod is one unit that takes one zone
    ZoneNeeds needs;       // by_zone
    ZoneMask counted = 0;  // by_zone
    size_t zones = 0;
    std::optional<AllocationScore> score;  // unset: LeastNumaNodes
  };
  struct Class {
    bool known = false;
    bool applies = false;
    NumaUnits units;
    StrId zone_group;
    std::vector<Plan> plans;  // by form
  };

  Class& read_class(PodClassId pod_class) const;
  const Plan& plan_of(Class& known, NodeId node) const;
  void follow_changes();
  void follow(NodeId node);
  NumaNode node_of(const ZoneBook& book, NodeId node, std::span<const int64_t> free) const;
  void sum_up(const ZoneBook& book, NodeId node);
  bool is_stale(const ZoneBook& book) const;
  bool is_reported(const ZoneBook& book, PodId pod, NodeId node) const;
  bool is_reserved(NodeId node) const;
  bool is_new(const ZonePod& pod, NodeId node) const;
  int32_t pods_that_fit(Class& known, FitMode mode, NodeId node, int32_t most) const;
  bool has_zones_to_share(NodeId node) const;
  ZoneMask zones_held(StrId zone_group, const ZoneBook& book) const;
  ReasonCode sharing_refusal(Class& known, FitMode mode, NodeId node) const;
  ZonePod make(const ZoneBook& book, PodId pod, PodClassId pod_class, NodeId node,
               Presence presence) const;
  void measure(const ZoneBook& book, NodeId node, std::span<const int64_t> free,
               ZonePod& pod) const;
  void read_hint(const ZoneBook& book, ZonePod& pod) const;
  ZoneAmounts amounts_of(const ZoneBook& book, NodeId node, const NumaUnits& units,
                         const std::vector<ZoneMask>& sets, std::span<const int64_t> free) const;
  ZoneAmounts amounts_left(const ZoneBook& book, NodeId node) const;

  const View* view_ = nullptr;
  NumaOptions options_;
  bool some_class_asks_ = false;
  size_t classes_seen_ = 0;
  mutable IndexedVector<PodClassId, Class> classes_;
  IndexedVector<NodeId, ZoneBook> books_;
  std::vector<NodeId> left_on_;  // nodes of pods that left since settled(); may repeat
  ZoneTable table_;
  std::optional<uint64_t> read_to_;  // position in the change log; unset: nothing was read
};

}  // namespace trellis
