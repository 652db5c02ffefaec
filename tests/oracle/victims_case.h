// Tiny clusters where a gang waits that needs others to leave, and what every allowed set of
// victims would bring: the obvious answer to a search for victims.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace trellis::oracle {

struct VictimsCase {
  struct RunningGang {
    int minimum = 1;
    int priority = 10;
    bool preemptible = true;
    std::vector<int> nodes;  // of its pods
    int gpus = 1;            // of each
  };

  std::vector<int> gpus;   // of each node
  std::vector<int> racks;  // of each node
  std::vector<RunningGang> running;
  int pods = 1;  // of the gang that waits, priority 50
  int gpus_each = 1;
  bool one_rack = false;

  std::string text() const;
};

// Up to 5 nodes, up to 6 pods that run; the gang that waits has no place yet.
VictimsCase make_victims_case(uint64_t seed);

enum class VictimsRule : uint8_t {
  LowerPriority,  // only preemptible gangs of lower priority leave
  AllPlacedAgain  // preemptible gangs move; all of them have a place afterwards
};

// The fewest gangs that have to lose pods; nullopt: no allowed set lets the gang in.
std::optional<int> fewest_disrupted(const VictimsCase& one, VictimsRule rule);

}  // namespace trellis::oracle
