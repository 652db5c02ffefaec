#include "plugins/numa/numa_score.h"

#include <algorithm>
#include <bit>

#include "plugins/numa/least_numa.h"

namespace trellis {
namespace {

// Quantity.Value() of scheduler-plugins.
int64_t whole_units(ResourceId resource, int64_t amount) {
  bool milli = resource == kCpu || ResourceTable::is_gpu(resource);
  return milli ? (amount + kMilli - 1) / kMilli : amount;
}

// Doubles divide amounts of up to 64 TiB exactly, and several times faster.
int64_t percent(int64_t part, int64_t whole) {
  constexpr int64_t kExact = int64_t{1} << 46;
  if (whole > kExact) return part * kBestNumaScore / whole;
  return static_cast<int64_t>(static_cast<double>(part * kBestNumaScore) /
                              static_cast<double>(whole));
}

}  // namespace

AllocationScore::AllocationScore(const NumaUnits& units, const NumaNode& node,
                                 const NumaOptions& options)
    : rules_(options.rules),
      strategy_(options.strategy),
      zones_(node.topology->zones.size()),
      counted_(scored_zones(*node.topology, options.rules)) {
  bool guaranteed = units.qos == Qos::Guaranteed;
  bool single = node.settings.policy == NumaPolicy::SingleNode;
  anyway_ = guaranteed && !single ? 0 : kBestNumaScore;
  if (!guaranteed || !single) return;
  for (const NumaUnit& unit : units.scored(node.settings.scope)) {
    if (unit.requests.empty()) continue;
    Unit& made = units_.emplace_back();
    for (const NumaRequest& request : unit.requests) {
      int64_t weight = options.weight_of(request.resource);
      int column = node.topology->column(request.resource);
      made.requests.push_back({request.resource, request.amount, weight, column});
      made.weights += weight;
    }
  }
}

int64_t AllocationScore::of(std::span<const int64_t> free) const {
  if (units_.empty()) return anyway_;
  int64_t sum = 0;
  for (const Unit& unit : units_) sum += over_zones(unit, free);
  return units_.size() == 1 ? sum : sum / static_cast<int64_t>(units_.size());
}

// The lowest score of a zone above 0; 0 where no zone has one.
int64_t AllocationScore::over_zones(const Unit& unit, std::span<const int64_t> free) const {
  int64_t least = 0;
  for (ZoneMask rest = counted_; rest != 0; rest &= rest - 1) {
    auto zone = static_cast<size_t>(std::countr_zero(rest));
    int64_t one = strategy_ == NumaStrategy::BalancedAllocation ? balanced(unit, free, zone)
                                                                : allocated(unit, free, zone);
    if (least == 0 || (one != 0 && one < least)) least = one;
  }
  return least;
}

AllocationScore::Compared AllocationScore::compare(const Request& request,
                                                   std::span<const int64_t> free,
                                                   size_t zone) const {
  if (request.column < 0) return {request.amount, 0};
  int64_t cell = free[static_cast<size_t>(request.column) * zones_ + zone];
  return {request.amount, std::max<int64_t>(0, cell)};
}

int64_t AllocationScore::allocated(const Unit& unit, std::span<const int64_t> free,
                                   size_t zone) const {
  int64_t sum = 0;
  for (const Request& request : unit.requests) {
    auto [requested, left] = compare(request, free, zone);
    if (left == 0 || requested > left) continue;
    if (rules_ == NumaRules::Upstream) {
      requested = whole_units(request.resource, requested);
      left = whole_units(request.resource, left);
    }
    int64_t part = strategy_ == NumaStrategy::LeastAllocated ? left - requested : requested;
    sum += percent(part, left) * request.weight;
  }
  return unit.weights == 0 ? 0 : sum / unit.weights;
}

// One minus the variance of the parts that are taken, over n - 1 of them.
int64_t AllocationScore::balanced(const Unit& unit, std::span<const int64_t> free,
                                  size_t zone) const {
  boost::container::small_vector<double, 8> parts;
  double mean = 0;
  for (const Request& request : unit.requests) {
    auto [requested, left] = compare(request, free, zone);
    if (rules_ == NumaRules::Upstream) {
      requested = whole_units(request.resource, requested);
      left = whole_units(request.resource, left);
    }
    if (left > 0 && requested > left) return 0;
    double part = left == 0 ? 1.0 : static_cast<double>(requested) / static_cast<double>(left);
    parts.push_back(part);
    mean += part;
  }
  if (parts.size() < 2) return parts.empty() ? 0 : kBestNumaScore;
  mean /= static_cast<double>(parts.size());
  double variance = 0;
  for (double part : parts) variance += (part - mean) * (part - mean);
  variance /= static_cast<double>(parts.size() - 1);
  return static_cast<int64_t>((1.0 - variance) * static_cast<double>(kBestNumaScore));
}

int64_t numa_score(const NumaUnits& units, const NumaNode& node, const NumaOptions& options) {
  if (options.strategy != NumaStrategy::LeastNumaNodes) {
    return AllocationScore(units, node, options).of(node.free);
  }
  if (units.qos != Qos::Guaranteed) return kBestNumaScore;
  return least_numa_score(units.scored(node.settings.scope), node, options.rules);
}

}  // namespace trellis
