// Workloads that come, run and go in virtual time: the shape of Kueue's scalability runner.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bench/workload_world.h"

namespace trellis::bench::kueue_perf {
namespace {

constexpr int64_t kGiB = int64_t{1} << 30;

// 15,000 workloads of 30 queues on 640 nodes, in virtual time (test/performance/scheduler of
// Kueue).
class PerfSet {
 public:
  explicit PerfSet(int64_t quota_times) {
    make_nodes();
    world_.add_flavor("tas", "perf");
    for (int cohort = 0; cohort < 5; ++cohort) {
      for (int i = 0; i < 6; ++i) {
        WorkloadWorld::QueueShape shape;
        shape.name = "q" + std::to_string(cohort) + "-" + std::to_string(i);
        shape.cohort = "c" + std::to_string(cohort);
        shape.flavors = {"tas"};
        shape.nominal = 20 * kMilli * quota_times;
        shape.borrowing = 100 * kMilli * quota_times;
        shape.preemption = {PreemptWithin::LowerPriority, ReclaimWithin::Any, false, {}};
        world_.add_queue(shape);
        queues_.push_back(shape.name);
      }
    }
    for (const std::string& queue : queues_) plan(queue);
    std::stable_sort(arrivals_.begin(), arrivals_.end(),
                     [](const Arrival& a, const Arrival& b) { return a.at < b.at; });
  }

  // True: all of them came and went.
  bool run() {
    size_t next = 0;
    size_t finished = 0;
    for (TimeUs now = 0; finished < arrivals_.size(); now += kTick) {
      if (now > 4000 * kSecondUs) return false;
      for (; next < arrivals_.size() && arrivals_[next].at <= now; ++next) arrive(arrivals_[next]);
      auto due = ends_.begin();
      for (; due != ends_.end() && due->first <= now; ++due) {
        if (live_[due->second.workload] != due->second.admission) continue;
        world_.cluster().edit(due->second.workload).finished = true;
        ++finished;
      }
      ends_.erase(ends_.begin(), due);
      take_over(*world_.scheduler().run_cycle(now), now);
    }
    return true;
  }

 private:
  static constexpr TimeUs kTick = 100'000;
  struct Class {
    const char* name;
    int count;
    int32_t pods;
    int64_t cpu_milli;
    TimeUs runs;
    int32_t priority;
    TimeUs every;
    int32_t slice;
    int balanced;  // as many; the others require the rack, or prefer it
  };
  struct Arrival {
    TimeUs at = 0;
    WorkloadWorld::WorkloadShape shape;
    TimeUs runs = 0;
  };
  struct End {
    WorkloadId workload;
    int admission = 0;  // how often it had been admitted
  };

  void make_nodes() {
    Topology topology;
    topology.name = "perf";
    for (const char* level : {"block", "rack", "kubernetes.io/hostname"}) {
      topology.levels.push_back({world_.str(level), StrId()});
    }
    world_.cluster().upsert(std::move(topology));
    for (int i = 0; i < 640; ++i) {
      Node node;
      node.name = "node-" + std::to_string(i);
      node.allocatable.set(kCpu, 96 * kMilli);
      node.allocatable.set(kMemory, 256 * kGiB);
      node.allocatable.set(kPods, 110);
      node.labels = {{world_.str("block"), world_.str("b")},
                     {world_.str("rack"), world_.str("r" + std::to_string(i / 64))},
                     {world_.str("kubernetes.io/hostname"), world_.str(node.name)}};
      std::sort(node.labels.begin(), node.labels.end());
      world_.cluster().upsert(std::move(node));
    }
  }

  void plan(const std::string& queue) {
    constexpr Class kClasses[] = {
        {"small", 350, 2, 500, 200'000, 50, 100'000, 1, 110},
        {"medium", 100, 4, 1250, 500'000, 100, 500'000, 2, 33},
        {"large", 50, 8, 2500, 1'000'000, 200, 1'200'000, 4, 16},
    };
    for (const Class& one : kClasses) {
      for (int i = 0; i < one.count; ++i) {
        Arrival arrival;
        arrival.at = i * one.every;
        arrival.runs = one.runs;
        arrival.shape.name = queue + "-" + one.name + "-" + std::to_string(i);
        arrival.shape.queue = queue;
        arrival.shape.pods = one.pods;
        arrival.shape.requests.set(kCpu, one.cpu_milli);
        arrival.shape.priority = one.priority;
        arrival.shape.created = arrival.at;
        StrId rack = world_.str("rack");
        bool balanced = i % 3 == 2 && i / 3 < one.balanced;
        bool required = i % 3 == 0 || (i % 3 == 2 && !balanced && i % 2 == 0);
        if (required) arrival.shape.topology.required = rack;
        if (!required) arrival.shape.topology.preferred = rack;
        if (balanced) arrival.shape.topology.segments = {{one.slice, rack, {}}};
        arrivals_.push_back(std::move(arrival));
      }
    }
  }

  void arrive(const Arrival& arrival) {
    WorkloadId id = world_.add_workload(arrival.shape);
    if (!runs_.contains(id)) runs_.resize(id.value + 1);
    if (!live_.contains(id)) live_.resize(id.value + 1);
    runs_[id] = arrival.runs;
  }

  void take_over(const CycleRecord& record, TimeUs now) {
    for (const WorkloadDecision& decision : record.workload_decisions) {
      if (promises(decision)) continue;
      Workload& workload = world_.cluster().edit(decision.workload);
      if (decision.kind == WorkloadDecision::Kind::Evict) {
        workload.admission.reset();
        ++live_[decision.workload];
        continue;
      }
      workload.admission = *decision.admission;
      int admission = ++live_[decision.workload];
      ends_.insert({now + runs_[decision.workload], {decision.workload, admission}});
    }
  }

  WorkloadWorld world_;
  std::vector<std::string> queues_;
  std::vector<Arrival> arrivals_;
  IndexedVector<WorkloadId, TimeUs> runs_;
  IndexedVector<WorkloadId, int> live_;
  std::multimap<TimeUs, End> ends_;
};

void KueuePerfSet(benchmark::State& state) {
  std::optional<PerfSet> set;
  for (auto _ : state) {
    state.PauseTiming();
    set.emplace(state.range(0));
    state.ResumeTiming();
    if (!set->run()) state.SkipWithError("some workload never ran");
  }
  state.counters["workloads_per_second"] = benchmark::Counter(
      static_cast<double>(state.iterations()) * 15'000, benchmark::Counter::kIsRate);
}
BENCHMARK(KueuePerfSet)->ArgName("quota")->Arg(1)->Arg(10)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::kueue_perf
