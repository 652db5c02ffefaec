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
    // By class and leaf.
    std::map<std::pair<uint32_t, uint32_t>, int64_t> pods;
    for (PodId pod : cluster_.pods_of(id)) {
      const PodSlot& slot = cluster_.pods()[pod];
      if (counts(pod)) ++pods[{slot.pod_class.value, slot.pod.subgroup.value}];
    }
    for (const auto& [key, count] : pods) {
      const Subgroup* leaf = find_subgroup(gang, StrId(key.second));
      int64_t least = leaf != nullptr ? leaf->min_member : gang.min_member;
      GpuKind kind{.gang = id, .pods = count};
      GpuClass of_kind = bound_class(PodClassId(key.first), constraint_of(gang, leaf));
      if (of_kind.topology.valid()) kind.together = std::clamp<int64_t>(least, 1, count);
      kind.classes.push_back(of_kind);
      add("gang " + name_of(gang.name_space, gang.name), queue_of(gang), std::move(kind));
    }
  }

  void add_workload(WorkloadId id) {
    const WorkloadRecords& workloads = cluster_.workloads();
    const Workload& workload = workloads[id];
    if (workload.finished) return;
    for (PodId pod : workloads.pods_of(id)) {
      if (will_remain(session_.snapshot().pod(pod).status)) return;
    }
    for (size_t i = 0; i < workload.pod_sets.size(); ++i) {
      const PodSet& set = workload.pod_sets[i];
      GpuKind kind{.workload = id, .classes = classes_of(id, i), .pods = set.count};
      if (set.topology.required.valid()) kind.together = set.count;
      add("workload " + name_of(workload.name_space, workload.name), workload.queue.value,
          std::move(kind));
    }
  }

  std::vector<GpuKind> take() {
    std::vector<GpuKind> mix;
    for (auto& [key, kind] : kinds_) mix.push_back(std::move(kind));
    std::sort(mix.begin(), mix.end(), [](const GpuKind& a, const GpuKind& b) {
      return std::tie(b.pods, a.owner, a.gpu_milli, a.classes.front().pod_class.value) <
             std::tie(a.pods, b.owner, b.gpu_milli, b.classes.front().pod_class.value);
    });
    if (mix.size() > kMostKinds) mix.resize(kMostKinds);
    return mix;
  }

 private:
  // The classes by their first, pods together, queue, and whether it is a workload's.
  using Key = std::tuple<uint32_t, uint32_t, int, int64_t, uint32_t, bool>;

  bool counts(PodId id) const {
    PodStatus status = session_.snapshot().pod(id).status;
    const Pod& pod = cluster_.pods()[id].pod;
    bool waits = status == PodStatus::Pending && !cluster_.pods()[id].workload.valid();
    return !is_of_daemon_set(pod) && (waits || will_remain(status));
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

  GpuClass bound_class(PodClassId pod_class, const TopologyConstraint& constraint) const {
    GpuClass of_kind{.pod_class = pod_class};
    if (!constraint.required.valid() || !constraint.topology.valid()) return of_kind;
    TopologyId topology = cluster_.find_topology(strings_.view(constraint.topology));
    if (!topology.valid()) return of_kind;
    ResolvedLevels levels = resolve_levels(cluster_.topologies()[topology], constraint, strings_);
    if (levels.required < 0) return of_kind;
    of_kind.topology = topology;
    of_kind.level = levels.required;
    return of_kind;
  }

  // With what each flavor adds that the workload has, or may get.
  std::vector<GpuClass> classes_of(WorkloadId id, size_t pod_set) const {
    const WorkloadRecords& workloads = cluster_.workloads();
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    std::vector<GpuClass> classes;
    PodClassId plain = workloads.classes(id)[pod_set];
    ResourceId resource = gpus_of(cluster_.pod_classes()[plain]).resource;
    ClusterQueueId queue = ledger.queue_of(id);
    if (!queue.valid()) return {{.pod_class = plain}};
    for (const ResourceGroup& group : workloads.cluster_queues()[queue].groups) {
      if (std::ranges::find(group.resources, resource) == group.resources.end()) continue;
      for (const FlavorQuota& quota : group.flavors) {
        if (!may_get(workloads[id], pod_set, resource, quota.flavor)) continue;
        GpuClass of_kind = flavored(id, pod_set, quota.flavor);
        if (of_kind.pod_class.valid()) classes.push_back(of_kind);
      }
    }
    return classes.empty() ? std::vector<GpuClass>{{.pod_class = plain}} : classes;
  }

  static bool may_get(const Workload& workload, size_t pod_set, ResourceId resource, StrId flavor) {
    if (!workload.admission || pod_set >= workload.admission->pod_sets.size()) return true;
    const auto& given = workload.admission->pod_sets[pod_set].flavors;
    return std::ranges::find(given, std::pair(resource, flavor)) != given.end();
  }

  GpuClass flavored(WorkloadId id, size_t pod_set, StrId name) const {
    const WorkloadLedger& ledger = session_.snapshot().workloads();
    FlavorId flavor = ledger.flavor(name);
    if (!flavor.valid()) return {};
    GpuClass of_kind{.pod_class = ledger.flavored(id, pod_set, flavor), .flavor = name};
    StrId required = cluster_.workloads()[id].pod_sets[pod_set].topology.required;
    TopologyId topology = ledger.topology_of(cluster_, flavor);
    if (!required.valid() || !topology.valid()) return of_kind;
    auto level = find_level(cluster_.topologies()[topology], strings_.view(required), strings_);
    if (!level) return of_kind;
    of_kind.topology = topology;
    of_kind.level = *level;
    return of_kind;
  }

  void add(std::string owner, uint32_t queue, GpuKind kind) {
    const GpuClass& first = kind.classes.front();
    Amount gpus = gpus_of(cluster_.pod_classes()[first.pod_class]);
    if (gpus.milli <= 0 || kind.pods <= 0) return;
    kind.resource = gpus.resource;
    kind.gpu_milli = gpus.milli;
    kind.owner = std::move(owner);
    Key key = {first.pod_class.value, first.topology.value, first.level, kind.together, queue,
               kind.workload.valid()};
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
