// Kueue's own benchmarks of its scheduler: a whole preempting cycle, and many flavors over the same
// nodes.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bench/workload_world.h"

namespace trellis::bench::kueue_cycle {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kHuge = int64_t{1} << 50;

void set_topology(WorkloadWorld& world, const std::string& name,
                  const std::vector<std::string>& levels) {
  Topology topology;
  topology.name = name;
  for (const std::string& level : levels) topology.levels.push_back({world.str(level), StrId()});
  world.cluster().upsert(std::move(topology));
}

NodeId add_node(WorkloadWorld& world, const std::string& name, const ResourceList& allocatable,
                Labels labels) {
  Node node;
  node.name = name;
  node.allocatable = allocatable;
  node.allocatable.set(kPods, 110);
  labels.push_back({world.str("kubernetes.io/hostname"), world.str(name)});
  std::sort(labels.begin(), labels.end());
  node.labels = std::move(labels);
  return world.cluster().upsert(std::move(node));
}

// BenchmarkSchedulerTAS: 1,000 nodes of 30 resources, full of workloads of rising priority; the
// highest asks for half of each of 200 nodes of one group.
class FullCluster {
 public:
  FullCluster() {
    Cluster& cluster = world_.cluster();
    resources_ = {kCpu, kMemory};
    for (int i = 2; i < 30; ++i) {
      resources_.push_back(
          cluster.vocabulary().resources.intern("example.com/res-" + std::to_string(i)));
    }
    set_topology(world_, "blocks", {"cloud.com/topology-block", "kubernetes.io/hostname"});
    add_nodes();
    world_.add_flavor("all", "blocks");
    WorkloadWorld::QueueShape queue;
    queue.name = "queue";
    queue.flavors = {"all"};
    queue.nominal = kHuge;
    queue.resources = resources_;
    queue.preemption.within_queue = PreemptWithin::LowerPriority;
    world_.add_queue(queue);
    fill();
    ask();
  }

  Cluster& cluster() { return world_.cluster(); }
  const CycleRecord& cycle() { return *world_.scheduler().run_cycle(++now_); }

  // One node's room is another than before, and back.
  void change() {
    Node node = cluster().nodes()[NodeId(0)];
    int64_t memory = node.allocatable.get(kMemory);
    node.allocatable.set(kMemory, memory == 100 * kGiB ? 101 * kGiB : 100 * kGiB);
    cluster().upsert(std::move(node));
  }

 private:
  ResourceList amounts(int64_t cpus, int64_t gibs) const {
    ResourceList list;
    for (ResourceId resource : resources_) list.set(resource, cpus);
    list.set(kCpu, cpus * kMilli);
    list.set(kMemory, gibs * kGiB);
    return list;
  }

  void add_nodes() {
    int block = 0;
    int in_block = 0;
    for (int i = 0; i < 1000; ++i) {
      if (++in_block == 31) {
        in_block = 0;
        ++block;
      }
      std::string name = "node-" + std::to_string(block) + "-" + std::to_string(in_block);
      nodes_.push_back(add_node(
          world_, name, amounts(10, 100),
          {{world_.str("cloud.com/topology-block"), world_.str("b-" + std::to_string(block))},
           {world_.str("node-group"), world_.str("group-" + std::to_string(block % 8 + 1))}}));
    }
  }

  void fill() {
    std::vector<int64_t> cpus(nodes_.size(), 10);
    std::vector<int64_t> gibs(nodes_.size(), 100);
    for (int k = 1;; ++k) {
      int64_t cpu = k % 10 + 1;
      int64_t gib = k % 100 + 1;
      int32_t left = 10 * k % 31 + 1;
      WorkloadWorld::WorkloadShape shape = shape_of("running-" + std::to_string(k), left, k);
      shape.requests = amounts(cpu, gib);
      std::vector<std::pair<std::string, int32_t>> places;
      for (size_t i = 0; i < nodes_.size() && left > 0; ++i) {
        int64_t here = std::min<int64_t>({left, cpus[i] / cpu, gibs[i] / gib});
        if (here == 0) continue;
        cpus[i] -= here * cpu;
        gibs[i] -= here * gib;
        left -= static_cast<int32_t>(here);
        places.emplace_back(cluster().nodes()[nodes_[i]].name, here);
      }
      if (left > 0) return;
      admit(world_.add_workload(shape), std::move(places));
    }
  }

  WorkloadWorld::WorkloadShape shape_of(const std::string& name, int32_t pods, int32_t priority) {
    WorkloadWorld::WorkloadShape shape;
    shape.name = name;
    shape.queue = "queue";
    shape.pods = pods;
    shape.priority = priority;
    shape.created = priority;
    shape.topology.unconstrained = true;
    return shape;
  }

  void admit(WorkloadId id, std::vector<std::pair<std::string, int32_t>> places) {
    std::sort(places.begin(), places.end());
    Workload& workload = cluster().edit(id);
    PodSetAdmission set;
    set.name = workload.pod_sets.front().name;
    set.count = workload.pod_sets.front().count;
    for (ResourceId resource : resources_) {
      set.flavors.emplace_back(resource, world_.str("all"));
      set.usage.set(resource, workload.pod_sets.front().spec.requests.get(resource) * set.count);
    }
    set.topology.emplace();
    set.topology->levels = {world_.str("kubernetes.io/hostname")};
    for (const auto& [node, count] : places) {
      set.topology->values.push_back(world_.str(node));
      set.topology->counts.push_back(count);
    }
    workload.admission = Admission{world_.str("queue"), {set}, 0};
  }

  void ask() {
    WorkloadWorld::WorkloadShape shape = shape_of("asking", 200, 1'000'000);
    shape.requests = amounts(5, 50);
    shape.selector = {{world_.str("node-group"), world_.str("group-1")}};
    world_.add_workload(shape);
  }

  WorkloadWorld world_;
  std::vector<ResourceId> resources_;
  std::vector<NodeId> nodes_;
  TimeUs now_ = 0;
};

size_t evictions(const CycleRecord& record) {
  return static_cast<size_t>(std::count_if(
      record.workload_decisions.begin(), record.workload_decisions.end(),
      [](const WorkloadDecision& one) { return one.kind == WorkloadDecision::Kind::Evict; }));
}

void KueuePreempt(benchmark::State& state) {
  FullCluster full;
  size_t victims = evictions(full.cycle());
  if (victims == 0) state.SkipWithError("nothing is preempted");
  for (auto _ : state) {
    state.PauseTiming();
    full.change();
    state.ResumeTiming();
    const CycleRecord& record = full.cycle();
    state.PauseTiming();
    if (evictions(record) != victims) state.SkipWithError("another answer than before");
    state.ResumeTiming();
  }
  state.counters["victims"] = static_cast<double>(victims);
}
BENCHMARK(KueuePreempt)->Unit(benchmark::kMicrosecond);

// 15 flavors over the same 2,500 nodes, each with a running pod; a class counted in each, after one
// node has changed.
void KueueSnapshot15(benchmark::State& state) {
  constexpr int kFlavors = 15;
  WorkloadWorld world;
  set_topology(world, "racks", {"block", "rack", "kubernetes.io/hostname"});
  ResourceList room;
  room.set(kCpu, 96 * kMilli);
  room.set(kMemory, 384 * kGiB);
  for (int i = 0; i < 2500; ++i) {
    add_node(world, "node-" + std::to_string(i), room,
             {{world.str("rack"), world.str("r" + std::to_string(i / 16))},
              {world.str("block"), world.str("b" + std::to_string(i / 256))}});
    Pod pod;
    pod.name_space = world.str("default");
    pod.name = "other-" + std::to_string(i);
    pod.gang = world.str("default/" + pod.name);
    pod.node = "node-" + std::to_string(i);
    pod.status = PodStatus::Running;
    PodSpec spec;
    spec.requests.set(kCpu, kMilli);
    spec.requests.set(kMemory, kGiB);
    spec.requests.set(kPods, 1);
    world.cluster().upsert(std::move(pod), std::move(spec));
  }
  WorkloadWorld::QueueShape queue;
  queue.name = "queue";
  queue.nominal = kHuge;
  for (int i = 0; i < kFlavors; ++i) {
    queue.flavors.push_back("flavor-" + std::to_string(i));
    world.add_flavor(queue.flavors.back(), "racks");
  }
  world.add_queue(queue);
  WorkloadWorld::WorkloadShape shape;
  shape.name = "train";
  shape.queue = "queue";
  shape.requests.set(kCpu, kMilli);
  shape.topology.unconstrained = true;
  WorkloadId id = world.add_workload(shape);

  TopologyId topology = world.cluster().find_topology("racks");
  auto count = [&] {
    Session& session = world.scheduler().open(0);
    int64_t pods = 0;
    for (int i = 0; i < kFlavors; ++i) {
      PodClassId pod_class = session.snapshot().workloads().flavored(id, 0, FlavorId(i));
      const DomainCounts& counts = session.fits().domain_counts(topology, pod_class, FitMode::Now);
      pods += counts[session.snapshot().trees()[topology].root()];
    }
    return pods;
  };
  constexpr int64_t kAll = int64_t{kFlavors} * 2500 * 95;
  int64_t expected = kAll;
  if (count() != expected) state.SkipWithError("not every pod has its room");
  Node node = world.cluster().nodes()[NodeId(0)];
  for (auto _ : state) {
    state.PauseTiming();
    expected = 2 * kAll + kFlavors - expected;
    bool more = expected > kAll;
    node.allocatable.set(kCpu, (more ? 97 : 96) * kMilli);
    world.cluster().upsert(Node(node));
    state.ResumeTiming();
    if (count() != expected) state.SkipWithError("another count than expected");
  }
}
BENCHMARK(KueueSnapshot15)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace trellis::bench::kueue_cycle
