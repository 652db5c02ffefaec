// Divides pods among siblings: the groups below one parent, or the nodes of a last group.
//
// Spread: each sibling's target is x times its weight, but not below what runs there nor above what
// it can hold, with the one x for which the targets add up. Each sibling gets its target rounded
// down; the pods that remain go, one each, to the largest fractional parts. With equal weights no
// move of a new pod makes the division more even. Pack: the siblings with most running pods first;
// of these the one with the least room that still holds all the rest, or, when none does, the one
// with the most room. Ties: the sibling with the fewest other pods per node, then the first.
// Guarantees: exact, in integers. Cost: spread O(n log pods), with weights O(n log n); pack O(n)
// when one sibling takes all, else O(n log n).
#pragma once

#include <compare>
#include <cstdint>
#include <span>
#include <vector>

namespace trellis {

struct Sibling {
  int64_t running = 0;
  int64_t room = 0;  // for this many more
  int32_t weight = 1;
  int32_t failures = 0;  // pack: siblings with fewer go first, whatever runs there
  int64_t others = 0;    // pods that are not of the service, on `nodes` nodes
  int64_t nodes = 1;
};

class SiblingDivision {
 public:
  // given[i]: the new pods of siblings[i]. REQUIRES: 0 <= pods <= the sum of their room; both spans
  // have the same length.
  void spread(std::span<const Sibling> siblings, int64_t pods, std::span<int64_t> given);
  void pack(std::span<const Sibling> siblings, int64_t pods, std::span<int64_t> given);

 private:
  struct Load {
    int64_t others = 0;
    int64_t nodes = 1;
    std::strong_ordering operator<=>(const Load& other) const {
      return others * other.nodes <=> other.others * nodes;
    }
    bool operator==(const Load& other) const { return std::is_eq(*this <=> other); }
  };
  struct Fraction {
    int64_t over = 0;
    int64_t under = 1;
  };

  Fraction level_below(std::span<const Sibling> siblings, int64_t total);
  static Load load(const Sibling& one) { return {one.others, one.nodes}; }
  static bool packs_before(const Sibling& a, const Sibling& b, int64_t rest);
  void give_remainder(int64_t pods, std::span<int64_t> given);

  // Members to reuse their memory.
  std::vector<Fraction> turns_;
  struct Part {
    int64_t fraction = 0;
    uint32_t index = 0;
    Load load;
  };
  std::vector<Part> parts_;
  std::vector<uint32_t> order_;
};

}  // namespace trellis
