// The NVL72 hall: racks of 18 nodes x 4 GPUs, 16 racks a block, 16 blocks a spine. Headers only, so
// that benchmarks can use it too.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <utility>

#include "framework/node.h"
#include "framework/resources.h"
#include "framework/topology.h"
#include "session/cluster/cluster.h"

namespace trellis {

struct Hall {
  static constexpr int64_t kNodesPerRack = 18;
  static constexpr int64_t kRacksPerBlock = 16;
  static constexpr int64_t kBlocksPerSpine = 16;
  static constexpr int64_t kGpusPerNode = 4;
  static constexpr const char* kSpine = "example.com/spine";
  static constexpr const char* kBlock = "example.com/block";
  static constexpr const char* kRack = "example.com/rack";
  static constexpr const char* kHostname = "kubernetes.io/hostname";

  int64_t nodes = 0;
  int64_t racks = 0;
  int64_t blocks = 0;
  int64_t spines = 0;
};

// Fills the cluster with at least that many nodes, in full racks (100,000 asked: 5,556 racks,
// 100,008 nodes), and the topology "hall". Block and rack names repeat: b01 stands in every spine,
// r01 in every block. Nodes are named s01-b01-r01-n01, in order of their place.
inline Hall make_hall(Cluster& cluster, int64_t wanted_nodes) {
  Hall hall;
  hall.racks = (wanted_nodes + Hall::kNodesPerRack - 1) / Hall::kNodesPerRack;
  hall.nodes = hall.racks * Hall::kNodesPerRack;
  hall.blocks = (hall.racks + Hall::kRacksPerBlock - 1) / Hall::kRacksPerBlock;
  hall.spines = (hall.blocks + Hall::kBlocksPerSpine - 1) / Hall::kBlocksPerSpine;

  StringTable& strings = cluster.vocabulary().strings;
  const StrId spine_key = strings.intern(Hall::kSpine);
  const StrId block_key = strings.intern(Hall::kBlock);
  const StrId rack_key = strings.intern(Hall::kRack);
  const StrId hostname_key = strings.intern(Hall::kHostname);
  Topology topology;
  topology.name = "hall";
  for (StrId key : {spine_key, block_key, rack_key, hostname_key}) {
    topology.levels.push_back({key, StrId()});
  }
  cluster.upsert(std::move(topology));

  auto numbered = [](const char* prefix, int64_t index) {
    char text[32];
    std::snprintf(text, sizeof text, "%s%02lld", prefix, static_cast<long long>(index + 1));
    return std::string(text);
  };
  for (int64_t index = 0; index < hall.nodes; ++index) {
    int64_t rack = index / Hall::kNodesPerRack;
    int64_t block = rack / Hall::kRacksPerBlock;
    std::string spine_name = numbered("s", block / Hall::kBlocksPerSpine);
    std::string block_name = numbered("b", block % Hall::kBlocksPerSpine);
    std::string rack_name = numbered("r", rack % Hall::kRacksPerBlock);
    Node node;
    node.name = spine_name;
    node.name.append("-").append(block_name).append("-").append(rack_name).append("-");
    node.name.append(numbered("n", index % Hall::kNodesPerRack));
    node.labels = {{spine_key, strings.intern(spine_name)},
                   {block_key, strings.intern(block_name)},
                   {rack_key, strings.intern(rack_name)},
                   {hostname_key, strings.intern(node.name)}};
    std::sort(node.labels.begin(), node.labels.end());
    node.allocatable.set(kCpu, 144 * kMilli);
    node.allocatable.set(kMemory, int64_t{960} << 30);
    node.allocatable.set(kPods, 110);
    node.allocatable.set(kGpu, Hall::kGpusPerNode * kMilli);
    cluster.upsert(std::move(node));
  }
  return hall;
}

}  // namespace trellis
