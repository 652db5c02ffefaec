// Nodes in racks and one ClusterQueue over them, for tests of single steps of the action admit. A
// pod requests whole cores.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "session/cycle/session.h"
#include "tests/support/world.h"

namespace trellis::test {

struct PodSetArgs {
  int32_t count = 1;
  int64_t cores = 1;
  std::optional<int32_t> min_count = {};
};

class WorkloadHall {
 public:
  struct Args {
    int64_t quota = 100;  // cores
    QueueingStrategy queueing = QueueingStrategy::BestEffortFifo;
    PreemptWithin within_queue = PreemptWithin::Never;
    std::vector<std::string> levels = {"rack", "kubernetes.io/hostname"};
  };
  explicit WorkloadHall(const Args& args) {
    world_.topology("hall", args.levels);
    Flavor flavor;
    flavor.name = "main";
    flavor.topology = world_.str("hall");
    ClusterQueue queue;
    queue.name = "queue";
    queue.queueing = args.queueing;
    queue.preemption.within_queue = args.within_queue;
    queue.name_spaces.nothing = false;
    ResourceGroup group;
    group.resources = {kCpu};
    group.flavors = {{world_.str("main"), {{kCpu, args.quota * kMilli, {}, {}}}}};
    queue.groups = {group};
    Objects objects;
    objects.flavors = {flavor};
    objects.cluster_queues = {queue};
    objects.local_queues = {
        {world_.str("default"), "local", world_.str("queue"), StopPolicy::None}};
    world_.str("queue");
    world_.cluster.add(std::move(objects));
  }

  World& world() { return world_; }

  void node(const std::string& name, double cores, const std::string& rack = "r1") {
    world_.node(name, {.cpu = cores, .labels = {{"rack", rack}, {"kubernetes.io/hostname", name}}});
  }

  // The workload is named w0, w1 ... in the order of the calls.
  Workload workload(const std::vector<PodSetArgs>& sets, int32_t priority = 0, TimeUs queued = 0) {
    Workload workload;
    workload.name_space = world_.str("default");
    workload.name = "w" + std::to_string(next_++);
    workload.queue = world_.str("local");
    workload.priority = priority;
    workload.queued = queued;
    for (const PodSetArgs& args : sets) {
      PodSet& set = workload.pod_sets.emplace_back();
      set.name = world_.str("set" + std::to_string(workload.pod_sets.size()));
      set.spec.requests.set(kCpu, args.cores * kMilli);
      set.spec.requests.set(kPods, 1);
      set.count = args.count;
      set.min_count = args.min_count;
      set.topology.unconstrained = true;
    }
    return workload;
  }
  WorkloadId add(Workload workload) { return world_.cluster.upsert(std::move(workload)); }

  Session& open(TimeUs now = 0) { return world_.scheduler().open(now); }

  ClusterQueueId queue() const { return world_.cluster.workloads().cluster_queues().find("queue"); }
  const std::string& name(WorkloadId id) const { return world_.cluster.workloads()[id].name; }
  // Of the queue, in cores.
  static int64_t usage(const Session& session) {
    const std::vector<int64_t>& usage = session.snapshot().workloads().usage();
    int64_t sum = 0;
    for (int64_t cell : usage) sum += cell;
    return sum / kMilli;
  }

 private:
  World world_;
  int next_ = 0;
};

}  // namespace trellis::test
