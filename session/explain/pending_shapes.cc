#include "session/explain/pending_shapes.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "session/cycle/session_workloads.h"
#include "session/placement/workload_unit.h"

namespace trellis {
namespace {

class Shapes {
 public:
  explicit Shapes(const Session& session)
      : session_(session), ledger_(session.snapshot().workloads()), asks_(session) {}

  void add(GangId gang) {
    DemandPart part = whole_gang(session_, gang);
    join({.gang = gang, .rows = std::move(part.rows), .topology = part.topology});
  }

  void add(WorkloadId id) {
    const Workload& workload = session_.cluster().workloads()[id];
    ClusterQueueId queue = ledger_.queue_of(id);
    bool waits = ledger_.holdings()[id].held == 0 && workload.active && !workload.finished &&
                 workload.errors.empty() && queue.valid() && ledger_.tree().node(queue).valid();
    if (!waits) return;
    asks_.begin(id, queue);
    for (const WorkloadAsks::Party& party : asks_.parties()) {
      for (FlavorId flavor : flavors_of(party)) add_units(id, party, flavor);
    }
  }

  std::vector<PendingShape> take() { return std::move(shapes_); }

 private:
  using Key =
      std::tuple<bool, FlavorId, StrId, StrId, StrId, std::vector<std::pair<PodClassId, int64_t>>>;

  // Those with a topology that has the levels that the party requests; each once.
  std::vector<FlavorId> flavors_of(const WorkloadAsks::Party& party) const {
    std::vector<FlavorId> flavors;
    for (const ResourceGroup& group : asks_.groups()) {
      if (asks_.usage(party, group).empty()) continue;
      for (const FlavorQuota& quota : group.flavors) {
        FlavorId flavor = ledger_.flavor(quota.flavor);
        if (!flavor.valid() || !ledger_.topology_of(session_.cluster(), flavor).valid()) continue;
        const Flavor& record = session_.cluster().workloads().flavors()[flavor];
        bool known = std::find(flavors.begin(), flavors.end(), flavor) != flavors.end();
        if (!known && asks_.topology_error(party, record).empty()) flavors.push_back(flavor);
      }
    }
    return flavors;
  }

  void add_units(WorkloadId id, const WorkloadAsks::Party& party, FlavorId flavor) {
    const Cluster& cluster = session_.cluster();
    std::vector<FlavoredPodSet> sets;
    for (size_t i : party) {
      FlavoredPodSet set;
      set.pod_set = static_cast<uint32_t>(i);
      set.flavor = flavor;
      set.topology = ledger_.topology_of(cluster, flavor);
      set.pod_class = ledger_.flavored(id, i, flavor);
      set.count = asks_.counts()[i];
      if (set.pod_class.valid() && set.count > 0) sets.push_back(set);
    }
    if (sets.empty()) return;
    std::optional<UnitError> error;
    std::vector<WorkloadUnit> units = workload_units(cluster, cluster.workloads()[id], sets, error);
    if (error) return;
    for (const WorkloadUnit& unit : units) {
      PendingShape shape{.workload = id, .flavor = flavor};
      shape.topology = constraint_of(cluster, unit);
      shape.rows.push_back({unit.workers.pod_class, unit.workers.count, {}});
      if (unit.leader) shape.rows.push_back({unit.leader->pod_class, unit.leader->count, {}});
      join(std::move(shape));
    }
  }

  void join(PendingShape shape) {
    std::vector<std::pair<PodClassId, int64_t>> rows;
    for (const AskedRow& row : shape.rows) rows.emplace_back(row.pod_class, row.pods);
    std::sort(rows.begin(), rows.end());
    const TopologyConstraint& topology = shape.topology;
    Key key{shape.gang.valid(), shape.flavor,       topology.topology,
            topology.required,  topology.preferred, std::move(rows)};
    auto [at, is_new] = known_.try_emplace(std::move(key), shapes_.size());
    if (is_new) shapes_.push_back(std::move(shape));
    ++shapes_[at->second].members;
  }

  const Session& session_;
  const WorkloadLedger& ledger_;
  WorkloadAsks asks_;
  std::map<Key, size_t> known_;
  std::vector<PendingShape> shapes_;
};

}  // namespace

int64_t pods_of(const PendingShape& shape) {
  int64_t pods = 0;
  for (const AskedRow& row : shape.rows) pods += row.pods;
  return pods;
}

std::vector<PendingShape> pending_shapes(const Session& session) {
  const Cluster& cluster = session.cluster();
  Shapes shapes(session);
  for (GangId gang : cluster.gangs_by_name()) {
    if (session.snapshot().gang_counts()[gang].waiting > 0) shapes.add(gang);
  }
  for (WorkloadId id : cluster.workloads().by_name(cluster.vocabulary().strings)) shapes.add(id);
  return shapes.take();
}

}  // namespace trellis
