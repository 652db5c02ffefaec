#include "server/plan/plan_demand.h"

#include <algorithm>
#include <map>
#include <set>

#include "session/explain/demand_part.h"
#include "session/explain/room.h"
#include "session/placement/gang_needs.h"

namespace trellis {
namespace {

class AskedLabels {
 public:
  explicit AskedLabels(Session& session) : session_(session), cluster_(session.cluster()) {}

  void add(const Gang& gang) {
    add_levels(gang.topology);
    add_segments(gang.topology.topology, gang.segments);
    for (const Subgroup& subgroup : gang.subgroups) {
      TopologyConstraint constraint = subgroup.topology;
      if (!constraint.topology.valid()) constraint.topology = gang.topology.topology;
      add_levels(constraint);
      add_segments(constraint.topology, subgroup.segments);
    }
  }

  void add(PodClassId pod_class) {
    if (!classes_.insert(pod_class).second) return;
    for (StrId key : session_.fits().link_keys(pod_class)) labels_.insert(key);
    const PodSpec& spec = cluster_.pod_classes()[pod_class];
    for (const Label& label : spec.node_selector) labels_.insert(label.key);
    for (const SelectorTerm& term : spec.required_affinity) {
      for (const Requirement& requirement : term.labels) labels_.insert(requirement.key);
    }
  }

  std::vector<StrId> take() const { return {labels_.begin(), labels_.end()}; }

 private:
  void add_levels(const TopologyConstraint& constraint) {
    PartLevels levels = levels_of(cluster_, constraint);
    int deepest = std::max(levels.required, levels.preferred);
    if (deepest < 0) return;
    const Topology& topology = cluster_.topologies()[levels.topology];
    labels_.insert(topology.levels[static_cast<size_t>(deepest)].label);
  }

  void add_segments(StrId topology, std::span<const SegmentLayer> layers) {
    for (const SegmentLayer& layer : layers) {
      add_levels({topology, layer.required, layer.preferred});
    }
  }

  Session& session_;
  const Cluster& cluster_;
  std::set<PodClassId> classes_;
  std::set<StrId> labels_;
};

// Of pods that wait in one leaf, at least so many of each class are among any `needed` ones.
void add_least(const std::map<PodClassId, int64_t>& waiting, int64_t needed, const DemandRows& rows,
               std::map<uint32_t, int64_t>& least) {
  int64_t all = 0;
  for (const auto& [pod_class, pods] : waiting) all += pods;
  for (const auto& [pod_class, pods] : waiting) {
    int64_t others = all - pods;
    auto row = rows.row_of.find(pod_class.value);
    if (needed > others && row != rows.row_of.end()) least[row->second] += needed - others;
  }
}

}  // namespace

std::vector<StrId> asked_labels(Session& session, std::span<const GangId> gangs) {
  AskedLabels labels(session);
  for (GangId gang : gangs) {
    labels.add(session.cluster().gangs()[gang]);
    for (PodId pod : session.waiting_pods(gang)) {
      labels.add(session.cluster().pods()[pod].pod_class);
    }
  }
  return labels.take();
}

DemandRows collect_rows(const Session& session, std::span<const GangId> gangs) {
  DemandRows rows;
  for (GangId gang : gangs) {
    for (PodId pod : session.waiting_pods(gang)) {
      PodClassId pod_class = session.cluster().pods()[pod].pod_class;
      auto row = static_cast<uint32_t>(rows.classes.size());
      if (rows.row_of.try_emplace(pod_class.value, row).second) rows.classes.push_back(pod_class);
    }
  }
  return rows;
}

void measure_fits(Session& session, std::span<const NodeId> probes, DemandRows& rows) {
  rows.fits.assign(probes.size(), std::vector<int64_t>(rows.classes.size()));
  for (size_t row = 0; row < rows.classes.size(); ++row) {
    EmptyNodes empty(session, rows.classes[row]);
    for (size_t i = 0; i < probes.size(); ++i) rows.fits[i][row] = empty.fit(probes[i]);
  }
}

GangDemand demand_of(const Session& session, const DemandRows& rows, GangId gang) {
  GangDemand demand;
  const Gang& record = session.cluster().gangs()[gang];
  if (session.placed_nodes(gang).empty()) {
    PartLevels levels = levels_of(session.cluster(), record.topology);
    if (levels.required >= 0) {
      demand.topology = levels.topology;
      demand.level = levels.required;
    }
  }
  MinimumNeeds needs = minimum_needs(session, gang);
  if (!needs.all || needs.choices.size() != 1) return demand;
  std::map<int32_t, std::map<PodClassId, int64_t>> waiting;  // by leaf
  for (PodId pod : session.waiting_pods(gang)) {
    const PodKey& key = session.snapshot().key(pod);
    ++waiting[key.subgroup][key.pod_class];
  }
  std::map<uint32_t, int64_t> least;
  for (const LeafNeed& leaf : needs.choices.front()) {
    add_least(waiting[leaf.subgroup], leaf.pods, rows, least);
  }
  for (const auto& [row, pods] : least) demand.rows.push_back({row, pods});
  return demand;
}

}  // namespace trellis
