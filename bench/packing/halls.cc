#include "bench/packing/halls.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/packing/draw.h"
#include "bench/packing/openb.h"
#include "bench/packing/packed_cluster.h"

namespace trellis::bench {
namespace {

constexpr size_t kBlocks = 4;
constexpr size_t kRacks = 8;   // of a block
constexpr size_t kNodes = 16;  // of a rack
constexpr int64_t kGpus = 8;   // of a node
constexpr int64_t kCpusOfGpu = 16;
constexpr int64_t kMiBOfGpu = 128 << 10;
constexpr int kRefusals = 1000;  // one after the other: the hall takes no more

// Parts of a GPU, then whole ones, by frequency.
constexpr std::array<int64_t, 10> kGpuMilli = {200,  300,  500,  1000, 1000,
                                               1000, 2000, 2000, 4000, 8000};

std::vector<OpenbNode> hall_nodes() {
  std::vector<OpenbNode> nodes;
  for (size_t i = 0; i < kBlocks * kRacks * kNodes; ++i) {
    OpenbNode& node = nodes.emplace_back();
    node.name = "n" + std::to_string(10'000 + i);
    node.cpu_milli = kGpus * kCpusOfGpu * kMilli;
    node.memory_mib = kGpus * kMiBOfGpu;
    node.gpus = kGpus;
    node.model = "uniform";
    size_t rack = i / kNodes;
    node.labels = {{"block", "b" + std::to_string(rack / kRacks)},
                   {"rack", "r" + std::to_string(100 + rack)}};
  }
  return nodes;
}

// A quarter of its GPUs' part of a node, up to one and a half of it.
OpenbPod small_pod(Draw& draw) {
  OpenbPod pod;
  pod.gpu_milli = kGpuMilli[draw.below(kGpuMilli.size())];
  auto part = [&](int64_t of_gpu) {
    int64_t quarters = static_cast<int64_t>(pod.gpu_milli == kGpus * kMilli ? 1 + draw.below(4)
                                                                            : 1 + draw.below(6));
    return of_gpu * pod.gpu_milli * quarters / (4 * kMilli);
  };
  pod.cpu_milli = part(kCpusOfGpu * kMilli);
  pod.memory_mib = part(kMiBOfGpu);
  return pod;
}

HallRoom room_of(const PackedCluster& cluster) {
  HallRoom room;
  std::array<double, kBlocks> blocks{};
  for (size_t rack = 0; rack < kBlocks * kRacks; ++rack) {
    double whole = 0;
    for (size_t i = 0; i < kNodes; ++i) whole += cluster.pods_on(rack * kNodes + i) == 0 ? 1 : 0;
    room.whole_racks += whole == kNodes ? 1 : 0;
    room.in_rack = std::max(room.in_rack, whole);
    room.whole_nodes += whole;
    blocks[rack / kRacks] += whole;
  }
  room.in_block = *std::ranges::max_element(blocks);
  return room;
}

}  // namespace

HallRoom fill_hall(const HallInput& input) {
  std::vector<OpenbNode> nodes = hall_nodes();
  PackedCluster cluster(input.config, nodes);
  cluster.add_topology("hall", {"block", "rack"});
  Draw draw(input.seed);
  std::vector<std::pair<std::string, OpenbPod>> running;
  int64_t wanted = static_cast<int64_t>(input.fill * static_cast<double>(cluster.capacity_milli()));
  auto fill = [&] {
    for (int refusals = 0; cluster.used_milli() < wanted && refusals < kRefusals;) {
      OpenbPod pod = small_pod(draw);
      if (std::optional<std::string> name = cluster.arrive(pod)) {
        running.emplace_back(*name, pod);
      } else {
        ++refusals;
      }
    }
  };
  fill();
  size_t left = static_cast<size_t>(input.churn * static_cast<double>(running.size()));
  for (; left > 0; --left) {
    std::swap(running[draw.below(running.size())], running.back());
    cluster.leave(running.back().first, running.back().second);
    running.pop_back();
    fill();
  }
  return room_of(cluster);
}

}  // namespace trellis::bench
