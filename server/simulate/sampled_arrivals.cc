#include "server/simulate/sampled_arrivals.h"

#include <algorithm>
#include <random>
#include <string>
#include <utility>

namespace trellis {
namespace {

constexpr int64_t kPercent = 100;

int64_t gpus_in(const Cluster& cluster) {
  int64_t sum = 0;
  for (NodeId id : cluster.nodes_by_name()) {
    const ResourceList& allocatable = cluster.nodes()[id].allocatable;
    sum += allocatable.get(kGpu) + allocatable.get(kAmdGpu);
  }
  return sum;
}

// Drawn by hand: what the standard library's shuffle gives differs between libraries.
std::vector<size_t> drawn_order(std::span<const TracedGang> trace, int64_t wanted, uint64_t seed) {
  std::mt19937_64 bits(seed);
  auto below = [&](size_t limit) { return static_cast<size_t>(bits() % limit); };
  std::vector<size_t> order(trace.size());
  int64_t requested = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    requested += trace[i].gpu_milli;
  }
  bool any = requested > 0;
  while (any && requested < wanted) {
    order.push_back(below(trace.size()));
    requested += trace[order.back()].gpu_milli;
  }
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  return order;
}

}  // namespace

std::vector<TracedGang> sampled_arrivals(std::span<const TracedGang> trace, uint64_t percent,
                                         uint64_t seed, const Cluster& cluster) {
  int64_t wanted = gpus_in(cluster) * static_cast<int64_t>(percent) / kPercent;
  std::vector<TracedGang> gangs;
  std::vector<int32_t> times(trace.size());
  int64_t taken = 0;
  for (size_t index : drawn_order(trace, wanted, seed)) {
    if (taken >= wanted) break;
    TracedGang& gang = gangs.emplace_back(trace[index]);
    gang.arrival = static_cast<TimeUs>(gangs.size() - 1) * kSecondUs;
    gang.duration = -1;
    if (int32_t again = times[index]++; again > 0) gang.name += "~" + std::to_string(again);
    taken += gang.gpu_milli;
  }
  return gangs;
}

}  // namespace trellis
