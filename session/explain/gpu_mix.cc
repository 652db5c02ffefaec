#include "session/explain/gpu_mix.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "framework/topology_levels.h"
#include "session/explain/room.h"

namespace trellis {
namespace {

constexpr size_t kMostKinds = 32;

struct Amount {
  ResourceId resource = kGpu;
  int64_t milli = 0;
};

Amount gpus_of(const PodSpec& spec) {
  ResourceList asked = asked_by(spec);
  ResourceId resource = asked.get(kGpu) > 0 ? kGpu : kAmdGpu;
  return {resource, asked.get(resource)};
}

class MixCount {
 public:
  explicit MixCount(const Session& session)
      : session_(session), cluster_(session.cluster()), strings_(cluster_.vocabulary().strings) {}

  void add_gang(GangId id) {
    const Gang& gang = cluster_.gangs()[id];
    // By class and part: the pods of each leaf, and how many of them the leaf requires.
    std::map<std::pair<uint32_t, uint32_t>, int64_t> pods;
    for (PodId pod : cluster_.pods_of(id)) {
      const PodSlot& slot = cluster_.pods()[pod];
      if (!counts(pod)) continue;
      ++pods[{slot.pod_class.value, slot.pod.subgroup.value}];
    }
    for (const auto& [key, count] : pods) {
      const Subgroup* leaf = find_subgroup(gang, StrId(key.second));
      int64_t least = leaf != nullptr ? leaf->min_member : gang.min_member;
      GpuKind kind{.pod_class = PodClassId(key.first), .gang = id, .pods = count};
      require(constraint_of(gang, leaf), std::clamp<int64_t>(least, 1, count), kind);
      add("gang " + name_of(gang.name_space, gang.name), queue_of(gang), std::move(kind));
    }
  }

  void add_workload(WorkloadId id) {
    const WorkloadRecords& workloads = cluster_.workloads();
    const Workload& workload = workloads[id];
    if (workload.finished) return;
    for (PodId pod : workloads.pods_of(id)) {
      if (counts(pod)) return;
    }
    for (size_t i = 0; i < workload.pod_sets.size(); ++i) {
      const PodSet& set = workload.pod_sets[i];
      GpuKind kind{.pod_class = workloads.classes(id)[i], .pods = set.count};
      require_anywhere(set.topology.required, set.count, kind);
      add("workload " + name_of(workload.name_space, workload.name), workload.queue.value,
          std::move(kind));
    }
  }

  std::vector<GpuKind> take() {
    std::vector<GpuKind> mix;
    for (auto& [key, kind] : kinds_) mix.push_back(std::move(kind));
    std::sort(mix.begin(), mix.end(), [](const GpuKind& a, const GpuKind& b) {
      return std::tie(b.pods, a.owner, a.gpu_milli, a.pod_class.value) <
             std::tie(a.pods, b.owner, b.gpu_milli, b.pod_class.value);
    });
    if (mix.size() > kMostKinds) mix.resize(kMostKinds);
    return mix;
  }

 private:
  // Class, topology, level, pods together, queue, and whether it is a workload's.
  using Key = std::tuple<uint32_t, uint32_t, int, int64_t, uint32_t, bool>;

  bool counts(PodId id) const {
    PodStatus status = session_.snapshot().pod(id).status;
    const Pod& pod = cluster_.pods()[id].pod;
    bool of_daemon_set = pod.daemon_set.valid() && !strings_.view(pod.daemon_set).empty();
    return !of_daemon_set && (status == PodStatus::Pending || will_remain(status));
  }

  static const Subgroup* find_subgroup(const Gang& gang, StrId name) {
    auto found = std::ranges::find(gang.subgroups, name, &Subgroup::name);
    return name.valid() && found != gang.subgroups.end() ? &*found : nullptr;
  }

  // The constraint of the leaf, or of the nearest part above it, that requires a level.
  static const TopologyConstraint& constraint_of(const Gang& gang, const Subgroup* leaf) {
    while (leaf != nullptr && !leaf->topology.required.valid()) {
      leaf = leaf->parent < 0 ? nullptr : &gang.subgroups[static_cast<size_t>(leaf->parent)];
    }
    return leaf != nullptr ? leaf->topology : gang.topology;
  }

  static uint32_t queue_of(const Gang& gang) { return gang.queue ? (*gang.queue).value : 0; }

  std::string name_of(StrId name_space, std::string_view name) const {
    return std::string(strings_.view(name_space)) + "/" + std::string(name);
  }

  void require(const TopologyConstraint& constraint, int64_t together, GpuKind& kind) const {
    if (!constraint.required.valid()) return;
    TopologyId topology = cluster_.find_topology(strings_.view(constraint.topology));
    if (!topology.valid()) return;
    ResolvedLevels levels = resolve_levels(cluster_.topologies()[topology], constraint, strings_);
    if (levels.required < 0) return;
    kind.topology = topology;
    kind.level = levels.required;
    kind.together = together;
  }

  // A PodSet names its level; its flavor, which is not chosen yet, names the topology.
  void require_anywhere(StrId label, int64_t together, GpuKind& kind) const {
    if (!label.valid()) return;
    for (uint32_t i = 0; i < cluster_.topologies().size(); ++i) {
      if (!cluster_.alive(TopologyId(i))) continue;
      const Topology& topology = cluster_.topologies()[TopologyId(i)];
      std::optional<int> level = find_level(topology, strings_.view(label), strings_);
      bool better = level && (!kind.topology.valid() ||
                              topology.name < cluster_.topologies()[kind.topology].name);
      if (!better) continue;
      kind.topology = TopologyId(i);
      kind.level = *level;
      kind.together = together;
    }
  }

  void add(std::string owner, uint32_t queue, GpuKind kind) {
    Amount gpus = gpus_of(cluster_.pod_classes()[kind.pod_class]);
    if (gpus.milli <= 0 || kind.pods <= 0) return;
    kind.resource = gpus.resource;
    kind.gpu_milli = gpus.milli;
    kind.owner = std::move(owner);
    Key key = {kind.pod_class.value, kind.topology.value, kind.level, kind.together, queue,
               !kind.gang.valid()};
    int64_t pods = kind.pods;
    auto [entry, is_new] = kinds_.try_emplace(key, std::move(kind));
    if (!is_new) entry->second.pods += pods;
  }

  const Session& session_;
  const Cluster& cluster_;
  const StringTable& strings_;
  std::map<Key, GpuKind> kinds_;
};

}  // namespace

std::vector<GpuKind> gpu_mix(const Session& session) {
  const Cluster& cluster = session.cluster();
  MixCount mix(session);
  for (GangId gang : cluster.gangs_by_name()) mix.add_gang(gang);
  for (WorkloadId workload : cluster.workloads().by_name(cluster.vocabulary().strings)) {
    mix.add_workload(workload);
  }
  return mix.take();
}

}  // namespace trellis
