// Gangs of pods of different sizes against exhaustive search, in tiny halls: the lowest level with
// a domain that holds the gang, and on it the fewest racks of any domain.

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "tests/support/long_run.h"
#include "tests/support/random.h"
#include "tests/support/seed_guard.h"
#include "tests/support/world.h"

namespace trellis::oracle::unequal_pods_test {
namespace {

struct Case {
  struct HallNode {
    int block = 0;
    int rack = 0;  // unique over all blocks
    int free = 0;
  };
  std::vector<HallNode> nodes;
  std::vector<int> pods;  // GPUs of each, the largest first
  bool one_block = false;

  std::string text() const {
    std::string text = "free";
    for (const HallNode& node : nodes) {
      text += " b" + std::to_string(node.block) + "/r" + std::to_string(node.rack) + ":" +
              std::to_string(node.free);
    }
    text += "; pods";
    for (int pod : pods) text += " " + std::to_string(pod);
    return text + (one_block ? " in a block" : "");
  }
};

Case make_case(uint64_t seed) {
  Random random(seed);
  Case one;
  int rack = 0;
  int blocks = static_cast<int>(random.between(1, 3));
  for (int block = 0; block < blocks; ++block) {
    for (auto left = random.between(1, 3); left > 0; --left, ++rack) {
      for (auto nodes = random.between(1, 3); nodes > 0; --nodes) {
        one.nodes.push_back({block, rack, static_cast<int>(random.between(0, 8))});
      }
    }
  }
  for (auto left = random.between(2, 7); left > 0; --left) {
    one.pods.push_back(static_cast<int>(random.between(1, 6)));
  }
  std::sort(one.pods.rbegin(), one.pods.rend());
  one.one_block = random.chance(30);
  return one;
}

bool pack(std::vector<int>& free, const std::vector<int>& pods, size_t at) {
  if (at == pods.size()) return true;
  for (int& left : free) {
    if (left < pods[at]) continue;
    left -= pods[at];
    bool fits = pack(free, pods, at + 1);
    left += pods[at];
    if (fits) return true;
  }
  return false;
}

// The fewest of these racks that hold the gang; 0: not even all together do.
int fewest_racks(const Case& one, const std::set<int>& racks) {
  std::vector<int> all(racks.begin(), racks.end());
  int fewest = 0;
  for (uint32_t chosen = 1; chosen < (1U << all.size()); ++chosen) {
    int count = __builtin_popcount(chosen);
    if (fewest > 0 && count >= fewest) continue;
    std::vector<int> free;
    for (const Case::HallNode& node : one.nodes) {
      auto at = std::find(all.begin(), all.end(), node.rack) - all.begin();
      bool inside = at < static_cast<std::ptrdiff_t>(all.size()) && (chosen >> at & 1U) != 0;
      if (inside) free.push_back(node.free);
    }
    if (pack(free, one.pods, 0)) fewest = count;
  }
  return fewest;
}

struct Spans {
  int blocks = 0;
  int racks = 0;
  bool operator==(const Spans&) const = default;
};

// nullopt: no place.
std::optional<Spans> best_of(const Case& one) {
  std::set<int> everywhere;
  int fewest = 0;
  for (int block = 0; block < 3; ++block) {
    std::set<int> inside;
    for (const Case::HallNode& node : one.nodes) {
      if (node.block == block) inside.insert(node.rack);
    }
    everywhere.insert(inside.begin(), inside.end());
    int racks = fewest_racks(one, inside);
    if (racks > 0 && (fewest == 0 || racks < fewest)) fewest = racks;
  }
  if (fewest > 0) return Spans{1, fewest};
  int racks = one.one_block ? 0 : fewest_racks(one, everywhere);
  if (racks == 0) return std::nullopt;
  return Spans{2, racks};
}

void fill(World& world, const Case& one) {
  world.topology("t", {"block", "rack"});
  for (size_t i = 0; i < one.nodes.size(); ++i) {
    const Case::HallNode& node = one.nodes[i];
    world.node("n" + std::to_string(i), {.gpu = node.free,
                                         .labels = {{"block", "b" + std::to_string(node.block)},
                                                    {"rack", "r" + std::to_string(node.rack)}}});
  }
  world.gang("g", {.min_member = static_cast<int32_t>(one.pods.size()),
                   .topology = "t",
                   .required = one.one_block ? "block" : "",
                   .preferred = "rack"});
  for (size_t i = 0; i < one.pods.size(); ++i) {
    world.pod("g-" + std::to_string(i), "g", {.gpu = one.pods[i]});
  }
}

std::optional<Spans> spans_of(World& world, const Case& one) {
  std::set<int> blocks;
  std::set<int> racks;
  for (size_t i = 0; i < one.pods.size(); ++i) {
    std::string node = world.node_of("g-" + std::to_string(i));
    if (node.empty()) return std::nullopt;
    const Case::HallNode& at = one.nodes[std::stoul(node.substr(1))];
    blocks.insert(at.block);
    racks.insert(at.rack);
  }
  return Spans{blocks.size() > 1 ? 2 : 1, static_cast<int>(racks.size())};
}

std::string text_of(const std::optional<Spans>& spans) {
  if (!spans) return "no place";
  return std::to_string(spans->racks) + " racks" + (spans->blocks > 1 ? " of several blocks" : "");
}

TEST(UnequalPods, TheFewestRacksOfTheLowestDomainThatHoldsThem) {
  uint64_t cases = long_run(2'000, 40'000);
  int divided = 0;
  for (uint64_t seed = 1; seed <= cases; ++seed) {
    SeedGuard guard(seed);
    Case one = make_case(seed);
    World world;
    fill(world, one);
    world.cycle();
    std::optional<Spans> best = best_of(one);
    std::optional<Spans> ours = spans_of(world, one);
    EXPECT_EQ(text_of(ours), text_of(best)) << "seed " << seed << ": " << one.text();
    divided += best && best->racks > 1 ? 1 : 0;
  }
  EXPECT_GT(divided, static_cast<int>(cases / 10));
}

}  // namespace
}  // namespace trellis::oracle::unequal_pods_test
