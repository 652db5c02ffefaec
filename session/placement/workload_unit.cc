#include "session/placement/workload_unit.h"

#include <algorithm>

namespace trellis {
namespace {

class UnitReader {
 public:
  UnitReader(const Cluster& cluster, const Workload& workload)
      : cluster_(cluster), workload_(workload), strings_(cluster.vocabulary().strings) {}

  std::string read(WorkloadUnit& unit) {
    const TopologyRequest& request = workload_.pod_sets[unit.workers.pod_set].topology;
    topology_ = &cluster_.topologies()[unit.workers.topology];
    if (std::string error = read_level(request, unit); !error.empty()) return error;
    return read_segments(request, unit);
  }

 private:
  // Exactly: Kueue identifies levels by their label alone.
  int level_of(StrId label) const {
    const auto& levels = topology_->levels;
    auto same = [&](const TopologyLevel& level) { return level.label == label; };
    auto at = std::find_if(levels.begin(), levels.end(), same);
    return at == levels.end() ? -1 : static_cast<int>(at - levels.begin());
  }

  int deepest() const { return static_cast<int>(topology_->levels.size()) - 1; }

  std::string read_level(const TopologyRequest& request, WorkloadUnit& unit) {
    StrId asked = request.required.valid() ? request.required : request.preferred;
    if (request.required.valid()) unit.mode = KueueMode::Required;
    if (!request.required.valid() && request.preferred.valid()) unit.mode = KueueMode::Preferred;
    unit.balanced = request.balanced && unit.mode == KueueMode::Preferred;
    if (!asked.valid()) {
      unit.level = request.segments.empty() || request.unconstrained ? deepest() : 0;
      return "";
    }
    bool lowest = unit.mode == KueueMode::Preferred && strings_.view(asked) == "auto";
    unit.level = lowest ? deepest() : level_of(asked);
    if (unit.level >= 0) return "";
    return "no requested topology level: " + std::string(strings_.view(asked));
  }

  std::string read_segments(const TopologyRequest& request, WorkloadUnit& unit) {
    for (const SegmentLayer& layer : request.segments) {
      std::string name(strings_.view(layer.required));
      int level = level_of(layer.required);
      if (level < 0) return "no requested topology level for slices: " + name;
      bool first = unit.segments.empty();
      if (first && level < unit.level) {
        return "podset slice topology " + name + " is above the podset topology " +
               std::string(strings_.view(topology_->levels[static_cast<size_t>(unit.level)].label));
      }
      if (!first && level <= unit.segments.back().level) {
        return "podset slice topology " + name + " is not below the one before it";
      }
      if (!first && unit.segments.back().size % layer.size != 0) {
        return "podset slice size " + std::to_string(layer.size) +
               " must evenly divide the parent layer size " +
               std::to_string(unit.segments.back().size);
      }
      unit.segments.push_back({level, layer.size});
      unit.layers.push_back(layer);
    }
    return "";
  }

  const Cluster& cluster_;
  const Workload& workload_;
  const StringTable& strings_;
  const Topology* topology_ = nullptr;
};

}  // namespace

std::vector<WorkloadUnit> workload_units(const Cluster& cluster, const Workload& workload,
                                         std::span<const FlavoredPodSet> pod_sets,
                                         std::optional<UnitError>& error) {
  std::vector<WorkloadUnit> units;
  std::vector<StrId> groups;  // of each unit
  for (const FlavoredPodSet& set : pod_sets) {
    StrId group = workload.pod_sets[set.pod_set].topology.group;
    auto at = group.valid() ? std::find(groups.begin(), groups.end(), group) : groups.end();
    if (at == groups.end()) {
      groups.push_back(group);
      units.push_back({.workers = set});
      continue;
    }
    WorkloadUnit& unit = units[static_cast<size_t>(at - groups.begin())];
    unit.leader = set;
    if (set.count > unit.workers.count) std::swap(unit.workers, *unit.leader);
  }
  UnitReader reader(cluster, workload);
  for (WorkloadUnit& unit : units) {
    std::string text = reader.read(unit);
    if (!text.empty() && !error) error = UnitError{unit.workers.pod_set, text};
  }
  return units;
}

TopologyConstraint constraint_of(const Cluster& cluster, const WorkloadUnit& unit) {
  const Topology& topology = cluster.topologies()[unit.workers.topology];
  TopologyConstraint constraint{.topology = cluster.vocabulary().strings.find(topology.name)};
  if (unit.mode == KueueMode::Unconstrained) return constraint;
  StrId label = topology.levels[static_cast<size_t>(unit.level)].label;
  (unit.mode == KueueMode::Required ? constraint.required : constraint.preferred) = label;
  return constraint;
}

}  // namespace trellis
