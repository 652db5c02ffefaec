#include "bench/workload_world.h"

#include <utility>

#include "actions/actions.h"
#include "plugins/registry.h"

namespace trellis::bench {
namespace {

Config admit_alone() {
  Config config;
  config.actions = {"admit"};
  return config;
}

}  // namespace

WorkloadWorld::WorkloadWorld()
    : scheduler_(cluster_, admit_alone(), make_plugins(admit_alone()),
                 make_actions(admit_alone())) {}

void WorkloadWorld::add_flavor(const std::string& name, const std::string& topology) {
  Objects objects;
  str(name);
  objects.flavors.push_back({name, {}, {}, {}, str(topology)});
  cluster_.add(std::move(objects));
}

void WorkloadWorld::add_queue(const QueueShape& shape) {
  ClusterQueue queue;
  queue.name = shape.name;
  str(shape.name);
  if (!shape.cohort.empty()) queue.cohort = str(shape.cohort);
  queue.name_spaces.nothing = false;
  ResourceGroup group;
  group.resources = shape.resources;
  for (const std::string& flavor : shape.flavors) {
    FlavorQuota quota{str(flavor), {}};
    for (ResourceId resource : shape.resources) {
      quota.resources.push_back({resource, shape.nominal, shape.borrowing, {}});
    }
    group.flavors.push_back(std::move(quota));
  }
  queue.groups = {group};
  queue.preemption = shape.preemption;
  Objects objects;
  objects.cluster_queues = {queue};
  objects.local_queues = {{str("default"), shape.name, str(shape.name), StopPolicy::None}};
  cluster_.add(std::move(objects));
}

WorkloadId WorkloadWorld::add_workload(const WorkloadShape& shape) {
  Workload workload;
  workload.name_space = str("default");
  workload.name = shape.name;
  workload.queue = str(shape.queue);
  workload.priority = shape.priority;
  workload.created = shape.created;
  PodSet set;
  set.name = str("main");
  set.spec.requests = shape.requests;
  set.spec.requests.set(kPods, 1);
  set.spec.node_selector = shape.selector;
  set.count = shape.pods;
  set.topology = shape.topology;
  workload.pod_sets = {set};
  return cluster_.upsert(std::move(workload));
}

}  // namespace trellis::bench
