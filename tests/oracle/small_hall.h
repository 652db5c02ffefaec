// Tiny halls of blocks, racks and nodes with free GPUs, and the fewest racks that hold some pods,
// by trying every set of racks and every node for each pod.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tests/support/random.h"
#include "tests/support/world.h"

namespace trellis::oracle {

struct SmallPod {
  int gpus = 1;
  int together = -1;  // pods with the same number share a rack; -1: in any rack
};

struct SmallHall {
  struct HallNode {
    int block = 0;
    int rack = 0;  // unique over all blocks
    int free = 0;
  };
  std::vector<HallNode> nodes;

  std::string text() const;
};

// 1 to 3 blocks of 1 to 3 racks of 1 to 3 nodes.
SmallHall random_hall(Random& random);

// Nodes "n0", "n1", ... and the topology "t".
void build(const SmallHall& hall, World& world);

struct Spans {
  int blocks = 0;  // 2: several
  int racks = 0;
  bool operator==(const Spans&) const = default;
};

std::string text_of(const std::optional<Spans>& spans);

enum class Inside { Block, Hall };

// The lowest level with a domain that holds all pods, and the fewest racks of any such domain;
// nullopt: no domain inside the bound does.
std::optional<Spans> fewest_spans(const SmallHall& hall, const std::vector<SmallPod>& pods,
                                  Inside bound);

// What the pods span; nullopt: one of them has no node.
std::optional<Spans> spans_of(const SmallHall& hall, const World& world,
                              const std::vector<std::string>& pods);

}  // namespace trellis::oracle
