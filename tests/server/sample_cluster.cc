#include "tests/server/sample_cluster.h"

namespace trellis {

NodeId SampleCluster::node(std::string_view name, int64_t gpus) {
  Node node;
  node.name = name;
  node.allocatable.set(kCpu, 8 * kMilli);
  node.allocatable.set(kPods, 110);
  node.allocatable.set(kGpu, gpus * kMilli);
  return cluster.upsert(std::move(node));
}

GangId SampleCluster::gang(std::string_view name, std::string_view queue) {
  Gang gang;
  gang.name_space = str("default");
  gang.name = name;
  if (!queue.empty()) gang.queue = str(queue);
  return cluster.upsert(std::move(gang));
}

PodId SampleCluster::pod(std::string_view gang, std::string_view name, PodStatus status,
                         std::string_view node) {
  Pod pod;
  pod.name_space = str("default");
  pod.name = name;
  pod.gang = str("default/" + std::string(gang));
  pod.status = status;
  pod.node = node;
  PodSpec spec;
  spec.requests.set(kPods, 1);
  spec.requests.set(kGpu, kMilli);
  return cluster.upsert(std::move(pod), std::move(spec));
}

GangId SampleCluster::gang_of(std::string_view name,
                              const std::vector<std::pair<std::string, std::string>>& subgroups) {
  Gang gang = cluster.gangs()[this->gang(name)];
  for (const auto& [own, parent] : subgroups) {
    Subgroup subgroup;
    subgroup.name = str(own);
    for (size_t i = 0; i < gang.subgroups.size(); ++i) {
      if (gang.subgroups[i].name == str(parent)) subgroup.parent = static_cast<int32_t>(i);
    }
    gang.subgroups.push_back(subgroup);
  }
  return cluster.upsert(std::move(gang));
}

void SampleCluster::put_into(PodId id, std::string_view subgroup) {
  Pod pod = cluster.pods()[id].pod;
  pod.subgroup = str(subgroup);
  cluster.upsert(std::move(pod), PodSpec(cluster.pod_classes()[cluster.pods()[id].pod_class]));
}

CycleRecord SampleCluster::record() const {
  CycleRecord record;
  record.pods.grow(cluster.pods().size());
  record.gangs.grow(cluster.gangs().size());
  record.nodes.grow(cluster.nodes().size());
  for (PodId id : cluster.pods_by_name()) {
    record.pods.own(id).status = cluster.pods()[id].pod.status;
    record.pods.own(id).node = cluster.pods()[id].node;
  }
  for (NodeId id : cluster.nodes_by_name()) {
    record.nodes.own(id).idle = cluster.nodes()[id].allocatable.get(kGpu) / kMilli;
  }
  return record;
}

}  // namespace trellis
