// The tree of KAI's topology design: a datacenter of zones A, B, C with 16, 10 and 6 GPUs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/world.h"

namespace trellis {

// Topology "network": levels zone, rack. Nodes are named after their rack: NA1-1, NA1-2, ...; rack
// C1's are also KAI's NC1 and NC2.
inline void add_kai_tree(World& world) {
  world.topology("network", {"zone", "rack"});
  const std::vector<std::pair<std::string, std::vector<int64_t>>> racks = {
      {"A1", {2, 2, 2}}, {"A2", {4}}, {"A3", {2, 2, 2}},
      {"B1", {4, 4}},    {"B2", {2}}, {"C1", {2, 4}},
  };
  for (const auto& [rack, gpus] : racks) {
    for (size_t i = 0; i < gpus.size(); ++i) {
      world.node("N" + rack + "-" + std::to_string(i + 1),
                 {.gpu = gpus[i], .labels = {{"zone", rack.substr(0, 1)}, {"rack", rack}}});
    }
  }
}

}  // namespace trellis
