// The cache of allocatable pods: per pod class and mode how many pods each node can take, summed up
// per domain, and the nodes ranked by score. Each call first brings it up to date from the change
// log.
//
// Guarantees: a result holds for the snapshot as it is at the call.
// Cost: the first call for a class one pass over its columns (cold); later ones O(nodes touched
// since x depth) (warm). Memory is bounded: the least used classes are dropped.
// For a linked class (framework/plugin.h, PodLinks) the counts are kept without its links.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "framework/plugin.h"
#include "framework/view.h"
#include "session/cluster/cluster.h"
#include "session/fits/cluster_ranking.h"
#include "session/fits/node_ranking.h"
#include "session/snapshot/snapshot.h"
#include "topology/domain_counts.h"

namespace trellis {

class FitCache : public CountSource {
 public:
  FitCache(const Cluster& cluster, const Snapshot& snapshot, const Hooks& hooks,
           const NodeValues& node_values, Strategy domains)
      : cluster_(cluster),
        snapshot_(snapshot),
        hooks_(hooks),
        node_values_(node_values),
        domains_(domains) {}

  // Drops everything: trees, node classes or plugins are new.
  void restart();

  // Over all nodes, by id.
  const IndexedVector<NodeId, int32_t>& node_fits(PodClassId pod_class, FitMode mode) override;
  int64_t total(PodClassId pod_class, FitMode mode);
  // Of all nodes, by score; equal ones by their domains in the topology that has most levels.
  // kNone when none takes a pod.
  NodeId best_node(PodClassId pod_class, FitMode mode);

  // Whether neither the verdict on the class nor its scores depend on pods on other nodes.
  bool plain(PodClassId pod_class) const;

  bool scores_links(PodClassId pod_class) const;
  // All nodes in groups; a caller that sets bonuses removes them again.
  LinkedRanking& linked_ranking(PodClassId pod_class, FitMode mode);
  // The same for some nodes, not kept.
  LinkedRanking rank_linked(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes);
  // The verdict of the links on a node in the current state.
  struct LinkVerdict {
    ReasonCode code = ReasonCode::None;
    std::string_view plugin;
    bool passes() const { return code == ReasonCode::None; }
  };
  LinkVerdict link_verdict(PodClassId pod_class, FitMode mode, NodeId node) const;
  uint64_t affinity_epoch() const;
  bool order_matters(PodClassId pod_class) const;
  // Sorted, each once.
  std::vector<StrId> link_keys(PodClassId pod_class) const;
  // Adds to out the scores of nodes against each other.
  void score_links(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
                   std::span<double> out) const;

  const NodeValues& node_values() const { return node_values_; }

  // Computed from the columns, nothing kept.
  int32_t fit_now(PodClassId pod_class, FitMode mode, NodeId node);
  // Whether a pod that was evicted in this session would fit on its node as before, beside what was
  // placed there since; its links and devices aside.
  bool may_stay(PodId pod, NodeId node);
  // Sums of the scorers that distinguish nodes.
  void score(PodClassId pod_class, FitMode mode, std::span<const NodeId> nodes,
             std::span<double> out) const;
  // The verdict of the class filters; None when the class passes all of them.
  ReasonCode class_verdict(PodClassId pod_class, NodeId node) override;

  const DomainCounts& domain_counts(TopologyId topology, PodClassId pod_class,
                                    FitMode mode) override;
  const DomainCounts& whole_counts(TopologyId topology, PodClassId pod_class, FitMode mode,
                                   std::span<const SegmentLevel> layers) override;
  int32_t node_fit(NodeId node, PodClassId pod_class, FitMode mode) override;
  bool exact(PodClassId pod_class) const override;
  bool anything_leaving() const override { return snapshot_.leaving_nodes() > 0; }

  void check_invariants() const;

 private:
  // Counts in whole segments of these layers.
  struct WholeCounts {
    TopologyId topology;
    std::vector<SegmentLevel> layers;
    DomainCounts counts;
  };
  struct Entry {
    uint64_t read_to = 0;  // position in the change log
    uint64_t used = 0;     // when it was last used
    int64_t total = 0;
    IndexedVector<NodeId, int32_t> fit;
    std::vector<std::unique_ptr<DomainCounts>> domains;  // by topology
    std::vector<WholeCounts> whole;                      // the last ones asked for
    uint64_t score_epoch = 0;                            // of the rankings
    std::optional<ClusterRanking> ranking;
    std::optional<LinkedRanking> linked;
    std::vector<StrId> linked_by;  // keys
  };

  Entry& entry(PodClassId pod_class, FitMode mode);
  void build(Entry& entry, PodClassId pod_class, FitMode mode);
  void follow(Entry& entry, PodClassId pod_class, FitMode mode, std::span<const NodeId> touched);
  void change_domains(Entry& entry, NodeId node, int32_t delta);
  uint64_t score_epoch() const;
  double ranked_score(PodClassId pod_class, FitMode mode, NodeId node, int32_t fit) const;
  std::span<const ReasonCode> verdicts(PodClassId pod_class);
  void rank(Entry& entry, PodClassId pod_class, FitMode mode);
  void drop_least_used();

  const Cluster& cluster_;
  const Snapshot& snapshot_;
  const Hooks& hooks_;
  const NodeValues& node_values_;
  Strategy domains_;                               // which domains of equal nodes are preferred
  DomainCounts no_domains_;                        // of a cluster without topologies
  std::vector<std::unique_ptr<Entry>> entries_;    // by class and mode
  std::vector<std::vector<ReasonCode>> verdicts_;  // by class, then node class
  size_t live_entries_ = 0;
  uint64_t clock_ = 0;
};

}  // namespace trellis
