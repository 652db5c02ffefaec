// The part of Cluster about workloads.
#include <algorithm>
#include <utility>

#include "session/cluster/cluster.h"
#include "session/cluster/named_table.h"

namespace trellis {
namespace {

// For workloads, nodes that lack a level's label do not belong to the topology.
void require_levels(const Topology& topology, PodSpec& spec) {
  if (!spec.has_required_affinity) spec.required_affinity.emplace_back();
  spec.has_required_affinity = true;
  for (SelectorTerm& term : spec.required_affinity) {
    for (const TopologyLevel& level : topology.levels) {
      term.labels.push_back({level.label, SelectorOp::Exists, {}});
    }
  }
}

}  // namespace

void Cluster::remove_workloads(const RemovedObjects& removed) {
  for (const std::string& name : removed.flavors) workloads_.remove_flavor(name);
  for (const std::string& name : removed.cluster_queues) workloads_.remove_cluster_queue(name);
  for (const std::string& name : removed.cohorts) workloads_.remove_cohort(name);
  for (const auto& [space, name] : removed.local_queues) {
    workloads_.remove_local_queue(full_key(space, name));
  }
  for (const auto& [space, name] : removed.daemon_sets) {
    workloads_.remove_daemon_set(full_key(space, name));
  }
  for (const auto& [space, name] : removed.workloads) {
    workloads_.remove_workload(full_key(space, name));
  }
}

WorkloadId Cluster::upsert(Workload workload) {
  ++generation_;
  pod_selectors_.know(workload.name_space, vocabulary_.strings);
  std::vector<PodClassId> classes;
  for (PodSet& set : workload.pod_sets) {
    Pod pod;
    pod.name_space = workload.name_space;
    pod.labels = set.labels;
    settle_terms(pod, set.spec);
    set.spec.matched = pod_selectors_.matching(pod, vocabulary_.strings);
    classes.push_back(intern_class(set.spec));
  }
  return workloads_.upsert(std::move(workload), std::move(classes), vocabulary_.strings);
}

void Cluster::upsert(DaemonSet set) {
  ++generation_;
  Pod pod;
  pod.name_space = set.name_space;
  pod.labels = set.labels;
  settle_terms(pod, set.spec);
  set.spec.matched = pod_selectors_.matching(pod, vocabulary_.strings);
  PodClassId pod_class = intern_class(set.spec);
  workloads_.upsert(std::move(set), pod_class, vocabulary_.strings);
}

PodClassId Cluster::matched_class(PodClassId base, std::vector<PodSelectorId> matched) {
  if (pod_classes_[base].matched == matched) return base;
  PodSpec spec = pod_classes_[base];
  spec.matched = std::move(matched);
  return intern_class(std::move(spec));
}

// Matches terms that are new, or select others, since the classes of pods that do not exist yet
// were made.
void Cluster::match_pod_sets() {
  if (!std::exchange(unmatched_pod_sets_, false)) return;
  Pod pod;
  auto matched = [&](StrId name_space, const Labels& labels) {
    pod.name_space = name_space;
    pod.labels = labels;
    return pod_selectors_.matching(pod, vocabulary_.strings);
  };
  for (uint32_t i = 0; i < workloads_.workloads().size(); ++i) {
    WorkloadId id(i);
    if (!workloads_.alive(id)) continue;
    const Workload& workload = workloads_[id];
    for (size_t set = 0; set < workload.pod_sets.size(); ++set) {
      PodClassId base = workloads_.classes(id)[set];
      workloads_.set_class(
          id, set,
          matched_class(base, matched(workload.name_space, workload.pod_sets[set].labels)));
    }
  }
  for (uint32_t i = 0; i < workloads_.daemon_sets().size(); ++i) {
    DaemonSetId id(i);
    if (!workloads_.daemon_sets().alive(id)) continue;
    const DaemonSet& set = workloads_.daemon_sets()[id];
    workloads_.set_class(
        id, matched_class(workloads_.daemon_class(id), matched(set.name_space, set.labels)));
  }
}

Workload& Cluster::edit(WorkloadId workload) {
  ++generation_;
  return workloads_.edit(workload);
}

PodClassId Cluster::flavored(PodClassId base, FlavorId id) {
  const Flavor& flavor = workloads_.flavors()[id];
  PodSpec spec = pod_classes_[base];
  for (const Label& label : flavor.node_labels) {
    if (!find_label(spec.node_selector, label.key).valid()) spec.node_selector.push_back(label);
  }
  std::sort(spec.node_selector.begin(), spec.node_selector.end());
  for (const Toleration& toleration : flavor.tolerations) {
    if (std::find(spec.tolerations.begin(), spec.tolerations.end(), toleration) ==
        spec.tolerations.end()) {
      spec.tolerations.push_back(toleration);
    }
  }
  TopologyId topology;
  if (flavor.topology.valid()) {
    topology = find_topology(vocabulary_.strings.view(*flavor.topology));
  }
  if (topology.valid()) require_levels(topologies_[topology], spec);
  return intern_class(std::move(spec));
}

}  // namespace trellis
