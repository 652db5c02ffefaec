// ResourceClaims: how many pods with a claim each node takes, and a cycle of pods with one each.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "bench/world.h"
#include "framework/device_claims.h"
#include "session/record/record.h"

namespace trellis::bench::dra {
namespace {

constexpr int64_t kGi = int64_t{1} << 30;
constexpr std::string_view kSelector =
    "device.driver == 'gpu.example.com' && device.attributes['gpu.example.com'].model == 'H100'";

devices::Slice slice_of(const std::string& node, size_t gpus) {
  devices::Slice slice;
  slice.name = node + "-gpu";
  slice.driver = "gpu.example.com";
  slice.pool = node;
  slice.slices_of_pool = 1;
  slice.reach = {devices::Reach::Form::OneNode, node, {}};
  for (size_t i = 0; i < gpus; ++i) {
    devices::Device device;
    device.name = "gpu-" + std::to_string(i);
    device.attributes.push_back({"model", cel::Value::string("H100")});
    device.attributes.push_back({"uuid", cel::Value::string(node + "-" + std::to_string(i))});
    slice.devices.push_back(std::move(device));
  }
  return slice;
}

void add_devices(Cluster& cluster, size_t nodes, size_t gpus) {
  devices::Class device_class;
  device_class.name = "gpu";
  device_class.selectors = {std::string(kSelector)};
  cluster.upsert(DeviceClass{"gpu", SharedValue(std::move(device_class))});
  for (size_t i = 0; i < nodes; ++i) {
    Node node;
    node.name = "n" + std::to_string(i);
    node.allocatable.set(kCpu, 256 * kMilli);
    node.allocatable.set(kMemory, 1024 * kGi);
    node.allocatable.set(kPods, 110);
    std::string name = node.name;
    cluster.upsert(std::move(node));
    devices::Slice slice = slice_of(name, gpus);
    cluster.upsert(DeviceSlice{slice.name, i, SharedValue(std::move(slice))});
  }
}

devices::Claim claim_of_one() {
  devices::Claim claim;
  devices::Request request;
  request.name = "gpu";
  request.alternatives.push_back({.name = "", .device_class = "gpu", .selectors = {}});
  claim.requests.push_back(std::move(request));
  return claim;
}

// Pods of one class, each a gang of its own, each with a claim of its own.
std::vector<PodId> add_pods(Cluster& cluster, size_t count) {
  StringTable& strings = cluster.vocabulary().strings;
  SharedValue<devices::Claim> shape(claim_of_one());
  SharedValue<PodDevices> needs(PodDevices{{{shape, StrId()}}, {}});
  std::vector<PodId> pods;
  for (size_t i = 0; i < count; ++i) {
    std::string name = "p" + std::to_string(i);
    DeviceClaim claim{.name_space = strings.intern("default"), .name = name + "-gpu", .claim = {}};
    devices::Claim own = *shape;
    own.name_space = "default";
    own.name = claim.name;
    claim.claim = SharedValue(std::move(own));
    Gang gang;
    gang.name_space = claim.name_space;
    gang.name = name;
    cluster.upsert(std::move(gang));
    Pod pod;
    pod.name_space = claim.name_space;
    pod.name = name;
    pod.gang = strings.intern("default/" + name);
    pod.device_claims = SharedValue(std::vector<StrId>{strings.intern(claim.name)});
    PodSpec spec;
    spec.requests.set(kCpu, 4 * kMilli);
    spec.requests.set(kMemory, 8 * kGi);
    spec.requests.set(kPods, 1);
    spec.devices = needs;
    cluster.upsert(std::move(claim));
    pods.push_back(cluster.upsert(std::move(pod), std::move(spec)));
  }
  return pods;
}

// Cold: the counts of the class are stale. Warm: they are kept, and the node of the last decision
// has changed.
enum class Kept : uint8_t { Nothing, Everything };

void time_filter(benchmark::State& state, Kept kept) {
  constexpr size_t kNodes = 10'000;
  constexpr size_t kGpus = 8;
  World world;
  add_devices(world.cluster(), kNodes, kGpus);
  PodId pod = add_pods(world.cluster(), 1).front();
  PodClassId pod_class = world.cluster().pods()[pod].pod_class;
  Session& session = world.scheduler().open(0);
  if (session.fits().total(pod_class, FitMode::Now) != kNodes * kGpus) {
    state.SkipWithError("not all devices are free");
  }
  NodeId node = session.fits().best_node(pod_class, FitMode::Now);
  auto between = [&] {
    if (kept == Kept::Nothing) return session.fits().restart();
    Statement& statement = session.statement();
    auto before = statement.checkpoint();
    if (!statement.place(pod, node, FitMode::Now)) state.SkipWithError("the best node is full");
    statement.rollback(before);
  };
  auto count = [&] { benchmark::DoNotOptimize(session.fits().total(pod_class, FitMode::Now)); };
  Latencies().run(state, count, between);
  report_per_node(state, kNodes);
}

BENCHMARK_CAPTURE(time_filter, cold, Kept::Nothing)
    ->Name("DraFilter/cold/nodes:10000")
    ->Unit(benchmark::kMicrosecond);
BENCHMARK_CAPTURE(time_filter, warm, Kept::Everything)
    ->Name("DraFilter/warm/nodes:10000")
    ->Unit(benchmark::kMicrosecond);

// From the cluster to the record, with the devices of each claim.
void time_pods(benchmark::State& state) {
  auto pods = static_cast<size_t>(state.range(0));
  auto nodes = pods / 10;
  constexpr size_t kGpus = 16;
  for (auto _ : state) {
    state.PauseTiming();
    {
      World world;
      add_devices(world.cluster(), nodes, kGpus);
      add_pods(world.cluster(), pods);
      state.ResumeTiming();
      auto record = world.scheduler().run_cycle(0);
      state.PauseTiming();
      size_t allocated = 0;
      for (const Decision& decision : record->decisions) {
        const PodOutcome& outcome = record->pods[decision.pod];
        const std::vector<DeviceGrant>& devices = outcome.details().devices;
        allocated += devices.size() == 1 && devices[0].allocation ? 1 : 0;
      }
      if (allocated != pods) state.SkipWithError("not all claims are allocated");
    }
    state.ResumeTiming();
  }
  state.SetItemsProcessed(state.iterations() * static_cast<int64_t>(pods));
}

BENCHMARK(time_pods)->Name("DraPods")->Arg(5000)->ArgName("pods")->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace trellis::bench::dra
