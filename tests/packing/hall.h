// Halls whose nodes are free or taken as a whole, filled at random, and how few racks could hold so
// many nodes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::packing {

inline constexpr const char* kHostname = "kubernetes.io/hostname";

struct Shape {
  uint32_t spines = 1;
  uint32_t blocks = 2;  // of a spine
  uint32_t racks = 3;   // of a block
  uint32_t nodes = 3;   // of a rack
};

// The free nodes of each rack.
class FreeNodes {
 public:
  explicit FreeNodes(const Shape& shape)
      : shape_(shape), free_(size_t{shape.spines} * shape.blocks * shape.racks, shape.nodes) {}

  uint32_t racks() const { return static_cast<uint32_t>(free_.size()); }
  uint32_t block_of(uint32_t rack) const { return rack / shape_.racks; }
  uint32_t spine_of(uint32_t rack) const { return block_of(rack) / shape_.blocks; }
  uint32_t total() const { return sum(0, racks()); }
  void take(uint32_t rack) { --free_[rack]; }

  uint32_t whole_racks() const { return whole(1); }
  uint32_t whole_blocks() const { return whole(shape_.racks); }
  uint32_t largest_in_rack() const { return *std::max_element(free_.begin(), free_.end()); }
  uint32_t largest_in_block() const {
    uint32_t most = 0;
    for (uint32_t first = 0; first < racks(); first += shape_.racks) {
      most = std::max(most, sum(first, shape_.racks));
    }
    return most;
  }

  // Takes a node where that leaves most to others: in the fullest rack, then block, then spine.
  void take_best() {
    using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
    uint32_t in_spine = shape_.blocks * shape_.racks;
    Key best{UINT32_MAX, 0, 0, 0};
    for (uint32_t rack = 0; rack < racks(); ++rack) {
      if (free_[rack] == 0) continue;
      best = std::min(best, Key{free_[rack], sum(block_of(rack) * shape_.racks, shape_.racks),
                                sum(spine_of(rack) * in_spine, in_spine), rack});
    }
    take(std::get<3>(best));
  }

  // The fewest racks for so many nodes in the lowest domain that holds them; 0: none does.
  uint32_t least_racks(uint32_t nodes) const {
    for (uint32_t size : {1U, shape_.racks, shape_.racks * shape_.blocks, racks()}) {
      uint32_t least = 0;
      for (uint32_t first = 0; first < racks(); first += size) {
        uint32_t used = least_inside(nodes, first, size);
        if (used > 0 && (least == 0 || used < least)) least = used;
      }
      if (least > 0) return least;
    }
    return 0;
  }
  // The same anywhere in the hall, whatever lies between the racks.
  uint32_t least_racks_anywhere(uint32_t nodes) const { return least_inside(nodes, 0, racks()); }

 private:
  uint32_t least_inside(uint32_t nodes, uint32_t first, uint32_t size) const {
    if (sum(first, size) < nodes) return 0;
    std::vector<uint32_t> counts(free_.begin() + first, free_.begin() + first + size);
    std::sort(counts.rbegin(), counts.rend());
    uint32_t used = 0;
    for (uint32_t got = 0; got < nodes; ++used) got += counts[used];
    return used;
  }
  uint32_t sum(uint32_t first, uint32_t size) const {
    return std::accumulate(free_.begin() + first, free_.begin() + first + size, 0U);
  }
  uint32_t whole(uint32_t size) const {
    uint32_t count = 0;
    for (uint32_t first = 0; first < racks(); first += size) {
      count += sum(first, size) == size * shape_.nodes ? 1 : 0;
    }
    return count;
  }

  Shape shape_;
  std::vector<uint32_t> free_;  // by rack
};

// Nodes of 8 GPUs, of which each pod takes all.
class Hall {
 public:
  explicit Hall(const Shape& shape) : free(shape), shape_(shape) {
    world.topology("hall", {"spine", "block", "rack", kHostname});
    for (uint32_t rack = 0; rack < free.racks(); ++rack) {
      for (uint32_t i = 0; i < shape.nodes; ++i) {
        std::string name = node_name(rack, i);
        world.node(name, {.gpu = 8,
                          .labels = {{"spine", numbered("s", free.spine_of(rack))},
                                     {"block", numbered("b", free.block_of(rack))},
                                     {"rack", numbered("r", rack)},
                                     {kHostname, name}}});
      }
    }
  }

  // Each node is taken with that chance, in hundredths.
  void fill(Random& random, uint32_t chance) {
    world.gang("work", {.min_member = 0});
    for (uint32_t rack = 0; rack < free.racks(); ++rack) {
      for (uint32_t i = 0; i < shape_.nodes; ++i) {
        if (!random.chance(chance)) continue;
        std::string name = node_name(rack, i);
        world.pod("work-" + name, "work", {.gpu = 8, .node = name, .status = PodStatus::Running});
        free.take(rack);
      }
    }
  }

  // Takes the nodes that the gang was given; returns in how many racks they are.
  size_t take(const std::string& gang) {
    std::set<NodeId> nodes;
    for (PodId pod : world.cluster.pods_of(world.gang_id(gang))) {
      NodeId node = world.record().pods[pod].node;
      if (node.valid()) nodes.insert(node);
    }
    std::set<uint32_t> racks;
    for (NodeId node : nodes) {
      std::string name(world.cluster.nodes()[node].name);
      uint32_t rack = static_cast<uint32_t>(std::stoul(name.substr(1, 4))) - 1'000;
      free.take(rack);
      racks.insert(rack);
    }
    return racks.size();
  }

  // The nodes without pods in the rack and in the block that have most.
  std::pair<uint32_t, uint32_t> largest_gangs() const {
    FreeNodes idle(shape_);
    for (uint32_t rack = 0; rack < idle.racks(); ++rack) {
      for (uint32_t i = 0; i < shape_.nodes; ++i) {
        NodeId node = world.node_id(node_name(rack, i));
        if (world.record().nodes[node].idle < 8) idle.take(rack);
      }
    }
    return {idle.largest_in_rack(), idle.largest_in_block()};
  }

  World world;
  FreeNodes free;

 private:
  static std::string numbered(const char* prefix, uint32_t index) {
    return prefix + std::to_string(1'000 + index);
  }
  static std::string node_name(uint32_t rack, uint32_t index) {
    return numbered("r", rack) + "-" + std::to_string(index);
  }

  Shape shape_;
};

}  // namespace trellis::packing
