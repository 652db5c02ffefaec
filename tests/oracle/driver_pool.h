// What the driver draws from: a few names and shapes that get in each other's way.
#pragma once

#include <string>
#include <vector>

#include "tests/support/plan.h"
#include "tests/support/random.h"

namespace trellis::oracle {

inline constexpr uint32_t kNodes = 7;
inline constexpr uint32_t kPoolPods = 14;
inline constexpr uint32_t kGangs = 4;
inline constexpr uint32_t kTopologies = 2;

std::string node_name(uint32_t index);
std::string pod_name(uint32_t index);
std::string gang_name(uint32_t index);
std::string topology_name(uint32_t index);

// What pods may ask for; a good part of them can meet on one node.
const std::vector<PodArgs>& pod_kinds();

NodeArgs draw_node(ByteStream& bytes);
std::vector<std::string> draw_levels(ByteStream& bytes);

}  // namespace trellis::oracle
