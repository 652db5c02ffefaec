#include "tests/oracle/small_hall.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <set>

namespace trellis::oracle {
namespace {

class Packing {
 public:
  Packing(std::vector<SmallHall::HallNode> nodes, const std::vector<SmallPod>& pods)
      : nodes_(std::move(nodes)), pods_(pods) {
    int groups = 0;
    for (const SmallPod& pod : pods) groups = std::max(groups, pod.together + 1);
    rack_of_.assign(static_cast<size_t>(groups), -1);
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are pods.
  bool fits(size_t at = 0) {
    if (at == pods_.size()) return true;
    const SmallPod& pod = pods_[at];
    for (SmallHall::HallNode& node : nodes_) {
      if (node.free < pod.gpus) continue;
      int* bound = pod.together < 0 ? nullptr : &rack_of_[static_cast<size_t>(pod.together)];
      if (bound != nullptr && *bound >= 0 && *bound != node.rack) continue;
      bool first = bound != nullptr && *bound < 0;
      if (first) *bound = node.rack;
      node.free -= pod.gpus;
      bool all = fits(at + 1);
      node.free += pod.gpus;
      if (first) *bound = -1;
      if (all) return true;
    }
    return false;
  }

 private:
  std::vector<SmallHall::HallNode> nodes_;
  const std::vector<SmallPod>& pods_;
  std::vector<int> rack_of_;  // by group; -1: none yet
};

// The fewest of these racks that hold the pods; 0: not even all together do.
int fewest_racks(const SmallHall& hall, const std::vector<SmallPod>& pods,
                 const std::set<int>& racks) {
  std::vector<int> all(racks.begin(), racks.end());
  int fewest = 0;
  for (uint32_t chosen = 1; chosen < (1U << all.size()); ++chosen) {
    int count = std::popcount(chosen);
    if (fewest > 0 && count >= fewest) continue;
    std::vector<SmallHall::HallNode> nodes;
    for (const SmallHall::HallNode& node : hall.nodes) {
      auto at = std::find(all.begin(), all.end(), node.rack) - all.begin();
      bool inside = at < static_cast<std::ptrdiff_t>(all.size()) && (chosen >> at & 1U) != 0;
      if (inside) nodes.push_back(node);
    }
    if (Packing(std::move(nodes), pods).fits()) fewest = count;
  }
  return fewest;
}

}  // namespace

std::string SmallHall::text() const {
  std::string text = "free";
  for (const HallNode& node : nodes) {
    text += " b" + std::to_string(node.block) + "/r" + std::to_string(node.rack) + ":" +
            std::to_string(node.free);
  }
  return text;
}

SmallHall random_hall(Random& random) {
  SmallHall hall;
  int rack = 0;
  int blocks = static_cast<int>(random.between(1, 3));
  for (int block = 0; block < blocks; ++block) {
    for (auto left = random.between(1, 3); left > 0; --left, ++rack) {
      for (auto nodes = random.between(1, 3); nodes > 0; --nodes) {
        hall.nodes.push_back({block, rack, static_cast<int>(random.between(0, 8))});
      }
    }
  }
  return hall;
}

void build(const SmallHall& hall, World& world) {
  world.topology("t", {"block", "rack"});
  for (size_t i = 0; i < hall.nodes.size(); ++i) {
    const SmallHall::HallNode& node = hall.nodes[i];
    world.node("n" + std::to_string(i), {.gpu = node.free,
                                         .labels = {{"block", "b" + std::to_string(node.block)},
                                                    {"rack", "r" + std::to_string(node.rack)}}});
  }
}

std::string text_of(const std::optional<Spans>& spans) {
  if (!spans) return "no place";
  return std::to_string(spans->racks) + " racks" + (spans->blocks > 1 ? " of several blocks" : "");
}

std::optional<Spans> fewest_spans(const SmallHall& hall, const std::vector<SmallPod>& pods,
                                  Inside bound) {
  std::set<int> everywhere;
  int fewest = 0;
  for (int block = 0; block < 3; ++block) {
    std::set<int> inside;
    for (const SmallHall::HallNode& node : hall.nodes) {
      if (node.block == block) inside.insert(node.rack);
    }
    everywhere.insert(inside.begin(), inside.end());
    int racks = fewest_racks(hall, pods, inside);
    if (racks > 0 && (fewest == 0 || racks < fewest)) fewest = racks;
  }
  if (fewest > 0) return Spans{1, fewest};
  int racks = bound == Inside::Block ? 0 : fewest_racks(hall, pods, everywhere);
  if (racks == 0) return std::nullopt;
  return Spans{2, racks};
}

std::optional<Spans> spans_of(const SmallHall& hall, const World& world,
                              const std::vector<std::string>& pods) {
  std::set<int> blocks;
  std::set<int> racks;
  for (const std::string& pod : pods) {
    std::string node = world.node_of(pod);
    if (node.empty()) return std::nullopt;
    const SmallHall::HallNode& at = hall.nodes[std::stoul(node.substr(1))];
    blocks.insert(at.block);
    racks.insert(at.rack);
  }
  return Spans{blocks.size() > 1 ? 2 : 1, static_cast<int>(racks.size())};
}

}  // namespace trellis::oracle
