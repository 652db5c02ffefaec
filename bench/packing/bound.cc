#include "bench/packing/bound.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace trellis::bench {
namespace {

constexpr int kSizes = 8;               // of parts of GPUs: 0 is the size itself
constexpr size_t kPrices = 2 + kSizes;  // CPU, memory, then GPUs by each size
constexpr int kRounds = 3000;
constexpr double kStep = 0.5;
constexpr double kBlur = 0.3;    // in proportion to what a pod is worth
constexpr double kMostOver = 4;  // an adjustment stays bounded

using Amounts = std::array<double, kPrices>;

// Equal nodes; amounts of all of them together.
struct Kind {
  OpenbNode node;
  Amounts all{};
  Amounts prices{};  // of all that the kind has
};

// Equal pods.
struct Pods {
  OpenbPod pod;
  double count = 0;
  double worth = 0;           // the GPUs of one
  Amounts request{};          // of one
  std::vector<size_t> kinds;  // that may take one
};

// A size of a part of a GPU, of which those that share a GPU add up to 1 at most.
double size_of(int64_t part_milli, int k) {
  double part = static_cast<double>(part_milli) / kMilli;
  if (k == 0 || part_milli * (k + 1) % kMilli == 0) return part;
  return static_cast<double>(part_milli * (k + 1) / kMilli) / k;
}

Amounts amounts_of(int64_t cpu_milli, int64_t memory_mib) {
  Amounts amounts{};
  amounts[0] = static_cast<double>(cpu_milli);
  amounts[1] = static_cast<double>(memory_mib);
  return amounts;
}

std::vector<Kind> kinds_of(std::span<const OpenbNode> nodes) {
  std::map<std::tuple<int64_t, int64_t, int64_t, std::string>, Kind> found;
  for (const OpenbNode& node : nodes) {
    Kind& kind = found[{node.cpu_milli, node.memory_mib, node.gpus, node.model}];
    kind.node = node;
    Amounts amounts = amounts_of(node.cpu_milli, node.memory_mib);
    for (size_t i = 2; i < kPrices; ++i) amounts[i] = static_cast<double>(node.gpus);
    for (size_t i = 0; i < kPrices; ++i) kind.all[i] += amounts[i];
  }
  std::vector<Kind> kinds;
  for (auto& [key, kind] : found) kinds.push_back(std::move(kind));
  return kinds;
}

bool takes(const OpenbNode& node, const OpenbPod& pod) {
  bool model = pod.models.empty() || std::ranges::find(pod.models, node.model) != pod.models.end();
  return model && pod.cpu_milli <= node.cpu_milli && pod.memory_mib <= node.memory_mib &&
         pod.gpu_milli <= node.gpus * kMilli;
}

Pods pods_of(const OpenbPod& pod, std::span<const Kind> kinds) {
  Pods pods{.pod = pod};
  pods.worth = static_cast<double>(pod.gpu_milli) / kMilli;
  pods.request = amounts_of(pod.cpu_milli, pod.memory_mib);
  bool shares = pod.gpu_milli < kMilli;
  for (int k = 0; k < kSizes; ++k) {
    pods.request[2 + static_cast<size_t>(k)] = shares ? size_of(pod.gpu_milli, k) : pods.worth;
  }
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (takes(kinds[i].node, pod)) pods.kinds.push_back(i);
  }
  return pods;
}

class Bound {
 public:
  explicit Bound(std::span<const OpenbNode> nodes) : kinds_(kinds_of(nodes)) {
    for (const Kind& kind : kinds_) gpus_ += kind.all[2];
  }

  void arrive(const OpenbPod& pod) {
    if (pod.gpu_milli == 0) return;
    auto key = std::tuple(pod.cpu_milli, pod.memory_mib, pod.gpu_milli, pod.models);
    auto [at, is_new] = places_.try_emplace(key, pods_.size());
    if (is_new) pods_.push_back(pods_of(pod, kinds_));
    pods_[at->second].count += 1;
    requested_ += static_cast<double>(pod.gpu_milli) / kMilli;
  }

  // The part of the GPUs that the pods so far can use.
  double find() {
    uses_.assign(kinds_.size(), Amounts{});
    double least = std::min(gpus_, requested_);
    for (Kind& kind : kinds_) kind.prices.fill(kind.all[2] / kPrices);
    for (int round = 0; round < kRounds; ++round) {
      double cooled = std::sqrt(1.0 + round);
      least = std::min(least, sum_and_uses(kBlur / cooled));
      adjust(kStep / cooled);
    }
    return least / gpus_;
  }

 private:
  double cost(const Pods& pods, const Kind& kind) const {
    double cost = 0;
    for (size_t i = 0; i < kPrices; ++i) cost += kind.prices[i] * (pods.request[i] / kind.all[i]);
    return cost;
  }

  // The bound at the prices as they are. Also what would be used of each kind: pods go to all kinds
  // that are hardly dearer than the cheapest, and those that are hardly worth their cost go in
  // part.
  double sum_and_uses(double blur) {
    for (Amounts& uses : uses_) uses.fill(0);
    double sum = 0;
    for (const Kind& kind : kinds_) {
      for (double price : kind.prices) sum += price;
    }
    for (const Pods& pods : pods_) {
      costs_.clear();
      for (size_t kind : pods.kinds) costs_.push_back(cost(pods, kinds_[kind]));
      if (costs_.empty()) continue;
      double least = *std::ranges::min_element(costs_);
      sum += pods.count * std::max(0.0, pods.worth - least);
      double scale = blur * pods.worth;
      double all = 0;
      for (double& cost : costs_) all += cost = std::exp((least - cost) / scale);
      double go =
          pods.count / (1 + std::exp(std::clamp((least - pods.worth) / scale, -50.0, 50.0)));
      for (size_t i = 0; i < costs_.size(); ++i) {
        double part = go * costs_[i] / all;
        Amounts& uses = uses_[pods.kinds[i]];
        for (size_t j = 0; j < kPrices; ++j) uses[j] += part * pods.request[j];
      }
    }
    return sum;
  }

  // What is used up becomes dearer, what is left becomes cheaper.
  void adjust(double step) {
    for (size_t k = 0; k < kinds_.size(); ++k) {
      for (size_t i = 0; i < kPrices; ++i) {
        double over = std::min(uses_[k][i] / kinds_[k].all[i] - 1, kMostOver);
        kinds_[k].prices[i] *= std::exp(step * over);
      }
    }
  }

  std::vector<Kind> kinds_;
  std::vector<Amounts> uses_;  // by kind
  std::vector<double> costs_;  // of the last pods
  std::vector<Pods> pods_;
  std::map<std::tuple<int64_t, int64_t, int64_t, std::vector<std::string>>, size_t> places_;
  double gpus_ = 0;
  double requested_ = 0;
};

}  // namespace

std::array<double, kArrived.size()> bound_arrivals(const PackingInput& input) {
  Bound bound(input.nodes);
  std::array<double, kArrived.size()> most{};
  int64_t all = 0;
  for (const OpenbNode& node : input.nodes) all += node.gpus * kMilli;
  int64_t requested = 0;
  size_t at = 0;
  for (size_t pod : arrivals(input)) {
    bound.arrive(input.pods[pod]);
    requested += input.pods[pod].gpu_milli;
    for (; at < most.size() && requested * 100 >= all * kArrived[at]; ++at) most[at] = bound.find();
  }
  return most;
}

}  // namespace trellis::bench
