#include "bench/packing/replay.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <string>
#include <tuple>

#include "bench/packing/draw.h"
#include "bench/packing/packed_cluster.h"

namespace trellis::bench {
namespace {

// In mean lifetimes of a pod.
constexpr double kWarmUp = 5;
constexpr double kMeasured = 4;
constexpr int64_t kBetweenPlans = 500;  // arrivals

int64_t gpus_of(std::span<const OpenbNode> nodes) {
  int64_t sum = 0;
  for (const OpenbNode& node : nodes) sum += node.gpus;
  return sum;
}

struct Departure {
  double at = 0;
  std::string name;
  size_t pod = 0;
  bool operator>(const Departure& other) const {
    return std::tie(at, name) > std::tie(other.at, other.name);
  }
};

}  // namespace

std::vector<size_t> arrivals(const PackingInput& input) {
  int64_t wanted = gpus_of(input.nodes) * kMilli * kArrived.back() / 100;
  Draw draw(input.seed);
  std::vector<size_t> order(input.pods.size());
  int64_t requested = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
    requested += input.pods[i].gpu_milli;
  }
  while (requested < wanted) {
    order.push_back(draw.below(input.pods.size()));
    requested += input.pods[order.back()].gpu_milli;
  }
  draw.shuffle(order);
  int64_t taken = 0;
  size_t count = 0;
  while (taken < wanted) taken += input.pods[order[count++]].gpu_milli;
  order.resize(count);
  return order;
}

std::array<double, kArrived.size()> replay_arrivals(const PackingInput& input) {
  PackedCluster cluster(input.config, input.nodes);
  std::array<double, kArrived.size()> used{};
  int64_t requested = 0;
  size_t at = 0;
  for (size_t pod : arrivals(input)) {
    cluster.arrive(input.pods[pod]);
    requested += input.pods[pod].gpu_milli;
    for (; at < used.size() && requested * 100 >= cluster.capacity_milli() * kArrived[at]; ++at) {
      used[at] =
          static_cast<double>(cluster.used_milli()) / static_cast<double>(cluster.capacity_milli());
    }
  }
  return used;
}

SteadyState steady_state(const PackingInput& input, double load) {
  PackedCluster cluster(input.config, input.nodes);
  Draw draw(input.seed);
  int64_t requested = 0;
  for (const OpenbPod& pod : input.pods) requested += pod.gpu_milli;
  double mean = static_cast<double>(requested) / static_cast<double>(input.pods.size());
  double interval = mean / (load * static_cast<double>(cluster.capacity_milli()));
  std::priority_queue<Departure, std::vector<Departure>, std::greater<>> departures;
  double next = draw.exponential(interval);
  double area = 0;
  double last = 0;
  int64_t arrived = 0;
  int64_t moved = 0;
  auto reach = [&](double time) {
    double begin = std::max(last, kWarmUp);
    if (time > begin) area += static_cast<double>(cluster.used_milli()) * (time - begin);
    last = time;
  };
  constexpr double kEnd = kWarmUp + kMeasured;
  while (true) {
    bool leaves = !departures.empty() && departures.top().at <= next;
    double time = leaves ? departures.top().at : next;
    reach(std::min(time, kEnd));
    if (time >= kEnd) break;
    if (leaves) {
      cluster.leave(departures.top().name, input.pods[departures.top().pod]);
      departures.pop();
      continue;
    }
    size_t pod = draw.below(input.pods.size());
    double stays = draw.exponential(1);
    if (std::optional<std::string> name = cluster.arrive(input.pods[pod])) {
      departures.push({time + stays, *name, pod});
    }
    next = time + draw.exponential(interval);
    if (++arrived % kBetweenPlans != 0) continue;
    double may_move = input.moved_part * static_cast<double>(arrived) - static_cast<double>(moved);
    if (may_move >= 1) moved += cluster.defragment(static_cast<int64_t>(may_move) * kMilli);
  }
  double used = area / (kMeasured * static_cast<double>(cluster.capacity_milli()));
  return {used, static_cast<double>(moved) / static_cast<double>(std::max<int64_t>(1, arrived))};
}

}  // namespace trellis::bench
