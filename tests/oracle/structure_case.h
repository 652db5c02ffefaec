// Tiny gangs with inner structure, and what is possible for them at all.
//
// The truth tries every node for every pod, depth first, and looks at nothing but labels and free
// GPUs; it knows none of the production code's notions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/world.h"

namespace trellis::oracle {

struct StructureCase {
  struct Node {
    std::string name;
    std::vector<std::string> path;  // label values, coarsest first; short where the others lack
    int gpus = 0;                   // free
  };
  // A segment layer, resolved.
  struct Layer {
    int size = 1;
    int level = 0;
  };
  // The gang (index 0), then its subgroups; parents first.
  struct Part {
    std::string name;
    int parent = -1;
    int required = -1;  // level
    int preferred = -1;
    std::vector<Layer> layers;  // all required
    int least = 0;              // of a leaf: its minimum
  };
  struct Member {
    std::string name;
    size_t part = 0;
    int position = 0;  // in its part
    int gpus = 1;
  };

  std::vector<std::string> levels;  // labels
  std::vector<Node> nodes;
  std::vector<Part> parts;
  std::vector<Member> members;

  std::string text() const;
};

struct StructureLimits {
  int nodes = 8;
  int pods = 8;
  bool sizes = false;     // pods of different sizes
  bool segments = false;  // segments in leaves
  // Leaves have pods above their minimum, nodes may lack labels, and a subgroup may be bound more
  // loosely than what is above it.
  bool grows = false;
};

StructureCase structure_case(uint64_t seed, const StructureLimits& limits);

// Fills a world with the nodes and the gang "g".
void build(const StructureCase& made, World& world);

// Node of each member, or -1 for one that has none.
using Assignment = std::vector<int>;

// Whether the assignment holds every rule; for members with -1 as far as that can be known.
bool holds(const StructureCase& made, const Assignment& assignment);

// Whether so many of the members that have no node can have one, beside those that have; of each
// part the first of them.
bool can_add(const StructureCase& made, const Assignment& assignment, std::span<const int> more);

// Domains used, summed over parts: of the level that each part prefers, else of its segments, else
// the one above single nodes.
int domains_used(const StructureCase& made, const Assignment& assignment);

// The fewest domains that any assignment of all members uses; nullopt when there is none.
std::optional<int> fewest_domains(const StructureCase& made);

}  // namespace trellis::oracle
