#include "tests/oracle/victims_case.h"

#include <algorithm>
#include <set>

#include "tests/support/random.h"

namespace trellis::oracle {
namespace {

struct PodOf {
  size_t gang = 0;
  int node = 0;
};

std::vector<PodOf> pods_of(const VictimsCase& one) {
  std::vector<PodOf> pods;
  for (size_t gang = 0; gang < one.running.size(); ++gang) {
    for (int node : one.running[gang].nodes) pods.push_back({gang, node});
  }
  return pods;
}

std::vector<int> free_gpus(const VictimsCase& one, const std::vector<PodOf>& pods, uint32_t gone) {
  std::vector<int> free = one.gpus;
  for (size_t i = 0; i < pods.size(); ++i) {
    if ((gone >> i & 1U) != 0) continue;
    free[static_cast<size_t>(pods[i].node)] -= one.running[pods[i].gang].gpus;
  }
  return free;
}

// A gang loses nothing, what is above its minimum, or everything.
bool allowed(const VictimsCase& one, const std::vector<PodOf>& pods, uint32_t gone,
             VictimsRule rule) {
  std::vector<int> lost(one.running.size(), 0);
  for (size_t i = 0; i < pods.size(); ++i) {
    if ((gone >> i & 1U) != 0) ++lost[pods[i].gang];
  }
  for (size_t gang = 0; gang < lost.size(); ++gang) {
    if (lost[gang] == 0) continue;
    const VictimsCase::RunningGang& victim = one.running[gang];
    int left = static_cast<int>(victim.nodes.size()) - lost[gang];
    if (left != 0 && left < victim.minimum) return false;
    if (!victim.preemptible) return false;
    if (rule == VictimsRule::LowerPriority && victim.priority >= 50) return false;
  }
  return true;
}

// Pods of these sizes, each on some node of the rack (-1: of any), and the others anywhere.
bool pack(std::vector<int>& free, const std::vector<int>& sizes, size_t at) {
  if (at == sizes.size()) return true;
  for (int& left : free) {
    if (left < sizes[at]) continue;
    left -= sizes[at];
    bool fits = pack(free, sizes, at + 1);
    left += sizes[at];
    if (fits) return true;
  }
  return false;
}

// Where the gang may stand, each way once.
void ways(const VictimsCase& one, std::vector<int>& free, int rack, int left, size_t from,
          std::set<std::vector<int>>& found) {
  if (left == 0) {
    found.insert(free);
    return;
  }
  for (size_t node = from; node < free.size(); ++node) {
    if (rack >= 0 && one.racks[node] != rack) continue;
    if (free[node] < one.gpus_each) continue;
    free[node] -= one.gpus_each;
    ways(one, free, rack, left - 1, node, found);
    free[node] += one.gpus_each;
  }
}

bool works(const VictimsCase& one, const std::vector<PodOf>& pods, uint32_t gone,
           VictimsRule rule) {
  std::vector<int> free = free_gpus(one, pods, gone);
  std::set<std::vector<int>> left;
  std::set<int> racks(one.racks.begin(), one.racks.end());
  if (!one.one_rack) racks = {-1};
  for (int rack : racks) ways(one, free, rack, one.pods, 0, left);
  if (rule == VictimsRule::LowerPriority) return !left.empty();
  std::vector<int> sizes;
  for (size_t i = 0; i < pods.size(); ++i) {
    if ((gone >> i & 1U) != 0) sizes.push_back(one.running[pods[i].gang].gpus);
  }
  return std::any_of(left.begin(), left.end(),
                     [&](std::vector<int> rest) { return pack(rest, sizes, 0); });
}

}  // namespace

std::string VictimsCase::text() const {
  std::string text = "nodes";
  for (size_t i = 0; i < gpus.size(); ++i) {
    text += " " + std::to_string(gpus[i]) + "@r" + std::to_string(racks[i]);
  }
  for (const RunningGang& gang : running) {
    text += "; min " + std::to_string(gang.minimum) + " prio " + std::to_string(gang.priority) +
            (gang.preemptible ? "" : " fixed") + " gpus " + std::to_string(gang.gpus) + " on";
    for (int node : gang.nodes) text += " n" + std::to_string(node);
  }
  text += "; wants " + std::to_string(pods) + " x " + std::to_string(gpus_each);
  return text + (one_rack ? " in a rack" : "");
}

VictimsCase make_victims_case(uint64_t seed) {
  Random random(seed);
  while (true) {
    VictimsCase one;
    size_t nodes = 1 + random.below(5);
    for (size_t i = 0; i < nodes; ++i) {
      one.gpus.push_back(static_cast<int>(random.between(1, 4)));
      one.racks.push_back(static_cast<int>(random.below(2)));
    }
    std::vector<int> free = one.gpus;
    int left = static_cast<int>(random.between(1, 6));
    while (left > 0) {
      VictimsCase::RunningGang gang;
      gang.gpus = static_cast<int>(random.between(1, 2));
      gang.priority = random.chance(80) ? static_cast<int>(10 * random.between(1, 4)) : 60;
      gang.preemptible = random.chance(90);
      int size = static_cast<int>(random.between(1, std::min(left, 3)));
      left -= size;
      for (int i = 0; i < size; ++i) {
        int node = static_cast<int>(random.below(static_cast<uint32_t>(nodes)));
        if (free[static_cast<size_t>(node)] < gang.gpus) continue;
        free[static_cast<size_t>(node)] -= gang.gpus;
        gang.nodes.push_back(node);
      }
      if (gang.nodes.empty()) continue;
      gang.minimum = static_cast<int>(random.between(1, static_cast<int>(gang.nodes.size())));
      one.running.push_back(gang);
    }
    one.pods = static_cast<int>(random.between(1, 3));
    one.gpus_each = static_cast<int>(random.between(1, 3));
    one.one_rack = random.chance(50);
    if (!works(one, pods_of(one), 0, VictimsRule::LowerPriority)) return one;
  }
}

std::optional<int> fewest_disrupted(const VictimsCase& one, VictimsRule rule) {
  std::vector<PodOf> pods = pods_of(one);
  std::optional<int> fewest;
  for (uint32_t gone = 1; gone < (1U << pods.size()); ++gone) {
    std::set<size_t> gangs;
    for (size_t i = 0; i < pods.size(); ++i) {
      if ((gone >> i & 1U) != 0) gangs.insert(pods[i].gang);
    }
    int disrupted = static_cast<int>(gangs.size());
    if (fewest && disrupted >= *fewest) continue;
    if (allowed(one, pods, gone, rule) && works(one, pods, gone, rule)) fewest = disrupted;
  }
  return fewest;
}

}  // namespace trellis::oracle
