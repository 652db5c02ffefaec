#include "server/plan/trace_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "framework/topology.h"

namespace trellis {
namespace {

constexpr int64_t kMostNodes = 65'536;

// The domains of new nodes.
class Growth {
 public:
  explicit Growth(const Cluster& cluster) : cluster_(cluster) {
    for (uint32_t i = 0; i < cluster.topologies().size(); ++i) {
      if (cluster.alive(TopologyId(i))) measure(cluster.topologies()[TopologyId(i)]);
    }
  }

  void label(Node& node, int64_t number, StringTable& strings) const {
    for (const auto& [key, size] : sizes_) {
      StrId value = strings.intern("new-" + std::to_string(size > 0 ? number / size + 1 : 1));
      if (!find_label(node.labels, key).valid()) set(node.labels, {key, value});
    }
    StrId hostname = strings.intern(kHostname);
    set(node.labels, {hostname, strings.intern(node.name)});
  }

 private:
  // How many nodes the largest domain of each level has.
  void measure(const Topology& topology) {
    const StringTable& strings = cluster_.vocabulary().strings;
    std::vector<StrId> keys;
    for (const TopologyLevel& level : topology.levels) {
      if (strings.view(level.label) == kHostname) return;
      keys.push_back(level.label);
      std::map<std::vector<StrId>, int64_t> counts;
      int64_t& largest = sizes_[level.label];
      for (NodeId id : cluster_.nodes_by_name()) {
        std::vector<StrId> path;
        for (StrId key : keys) path.push_back(find_label(cluster_.nodes()[id].labels, key));
        bool whole = std::ranges::all_of(path, [](StrId value) { return value.valid(); });
        if (whole) largest = std::max(largest, ++counts[path]);
      }
    }
  }

  static void set(Labels& labels, Label label) {
    auto at = std::ranges::lower_bound(labels, label.key, {}, &Label::key);
    if (at == labels.end() || at->key != label.key) at = labels.insert(at, label);
    at->value = label.value;
  }

  const Cluster& cluster_;
  std::map<StrId, int64_t> sizes_;  // by label
};

// One search for the number of nodes.
class NumberSearch {
 public:
  NumberSearch(const NodeShape& shape, const TraceQuestion& question)
      : shape_(shape), question_(question), most_(std::min(shape.most, kMostNodes)) {}

  ShapePlan run() {
    ShapePlan plan{.shape = shape_.name, .price_micro = shape_.price_micro};
    int64_t enough = guess();
    int64_t too_few = -1;
    while (!is_enough(enough)) {
      too_few = enough;
      if (enough == most_) {
        enough = ShapePlan::kNone;
        break;
      }
      enough = std::min(most_, enough * 2);
    }
    while (too_few < 0 && enough > 0) {
      int64_t half = enough / 2;
      if (!is_enough(half)) {
        too_few = half;
      } else {
        enough = half;
      }
    }
    while (enough - too_few > 1) {
      int64_t middle = too_few + (enough - too_few) / 2;
      (is_enough(middle) ? enough : too_few) = middle;
    }
    plan.nodes = enough;
    for (const auto& [nodes, wait] : tried_) plan.tried.push_back({nodes, wait});
    return plan;
  }

 private:
  bool is_enough(int64_t nodes) {
    auto [known, is_new] = tried_.try_emplace(nodes, kNoTime);
    if (is_new) known->second = wait_of_most(question_.simulate(shape_, nodes));
    return known->second != kNoTime && known->second <= question_.wait;
  }

  // As many nodes as hold what the gangs request on average, from the first to the last arrival.
  int64_t guess() const {
    const ResourceList& each = shape_.node.allocatable;
    int64_t node_gpus = each.get(kGpu) + each.get(kAmdGpu);
    double gpu_time = 0;
    TimeUs last = 1;
    for (const TracedGang& gang : question_.gangs) {
      last = std::max(last, gang.arrival);
      TimeUs duration = std::max<TimeUs>(gang.duration, 0);
      gpu_time += static_cast<double>(gang.gpu_milli) * static_cast<double>(duration);
    }
    double nodes =
        node_gpus > 0 ? gpu_time / static_cast<double>(last) / static_cast<double>(node_gpus) : 1;
    return std::clamp<int64_t>(static_cast<int64_t>(std::min(nodes, 1e6)),
                               std::min<int64_t>(1, most_), most_);
  }

  const NodeShape& shape_;
  const TraceQuestion& question_;
  int64_t most_;
  std::map<int64_t, TimeUs> tried_;
};

}  // namespace

std::vector<Node> growth_nodes(const NodeShape& shape, int64_t count, Cluster& cluster) {
  Growth growth(cluster);
  std::vector<Node> nodes;
  for (int64_t number = 0, index = 0; index < count; ++number) {
    Node node = shape.node;
    node.name = shape.name + "-new-" + std::to_string(number + 1);
    if (cluster.find_node(node.name).valid()) continue;
    growth.label(node, index++, cluster.vocabulary().strings);
    nodes.push_back(std::move(node));
  }
  return nodes;
}

TimeUs wait_of_most(const SimulationResult& result) {
  if (result.gangs.empty()) return 0;
  std::vector<TimeUs> waits;
  for (const GangResult& gang : result.gangs) {
    if (gang.first_start != kNoTime) waits.push_back(gang.first_start - gang.arrival);
  }
  std::ranges::sort(waits);
  constexpr size_t kPart = 95;
  constexpr size_t kWhole = 100;
  size_t rank = (result.gangs.size() * kPart + kWhole - 1) / kWhole;
  return rank > waits.size() ? kNoTime : waits[rank - 1];
}

ShapePlan plan_for_trace(const NodeShape& shape, const TraceQuestion& question) {
  return NumberSearch(shape, question).run();
}

void sort_by_price(std::vector<ShapePlan>& plans) {
  std::ranges::stable_sort(plans, {}, [](const ShapePlan& plan) {
    bool none = plan.nodes == ShapePlan::kNone;
    return std::pair(none, none ? 0 : plan.nodes * plan.price_micro);
  });
}

}  // namespace trellis
