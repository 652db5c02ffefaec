// The levels of a network: which domain every node is in, from the widest to the leaf switch.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "server/fabric/fabric.h"

namespace trellis {

inline constexpr std::string_view kAcceleratorLabel = "network.topology.nvidia.com/accelerator";
inline constexpr std::string_view kSubAcceleratorLabel = "accelerator.topograph.run/sub-domain";

// A label and its value for each node; empty: the node has none.
struct FabricLevel {
  std::string label;
  std::vector<std::string> values;
};

struct FabricLevels {
  std::vector<FabricLevel> levels;        // of the topology, the widest first
  std::vector<FabricLevel> accelerators;  // of a topology of their own, as they cross switches
};

// The switches above a node, the widest first; of a node with fewer than others, the topmost stands
// for those that are missing. So every node has a domain at every tier.
std::vector<std::vector<int32_t>> switches_above(const Fabric& fabric);

struct LevelNames {
  // Of the tiers, the widest first; empty: the prefix and leaf, spine, core, with tier-4 and so on
  // above these.
  std::vector<std::string> labels = {};
  std::string prefix = "network.topology.nvidia.com/";  // topograph's
};

// Domains of accelerators are a level where they fit between two tiers.
// REQUIRES: there are no labels, or as many as tiers_of().
FabricLevels levels_of(const Fabric& fabric, const LevelNames& names);

size_t tiers_of(const Fabric& fabric);

// A value that a label may have: other letters become '-'.
std::string label_value(std::string_view name);

}  // namespace trellis
