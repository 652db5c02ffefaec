#include "plugins/numa/numa_score.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>

namespace trellis {
namespace {

constexpr int64_t kBest = 100;
constexpr int64_t kUnknownCost = 255;

using Members = boost::container::small_vector<size_t, 8>;

struct NearSet {
  Members zones;
  bool nearest = false;
};

class ZoneSets {
 public:
  ZoneSets(const NumaNode& node, NumaRules rules)
      : topology_(*node.topology), rules_(rules), free_(node.free.begin(), node.free.end()) {
    ZoneMask counted = scored_zones(topology_, rules);
    for (size_t zone = 0; zone < topology_.zones.size(); ++zone) {
      if ((counted >> zone & 1) != 0) order_.push_back(zone);
    }
    // scheduler-plugins goes through the zones as the object lists them.
    if (rules == NumaRules::Upstream) {
      std::sort(order_.begin(), order_.end(), [this](size_t a, size_t b) {
        return topology_.zones[a].listed < topology_.zones[b].listed;
      });
    }
  }

  bool concerns(const NumaUnit& unit) const {
    return std::any_of(unit.requests.begin(), unit.requests.end(), [&](const NumaRequest& one) {
      return std::any_of(order_.begin(), order_.end(),
                         [&](size_t zone) { return cell(one.resource, zone) >= 0; });
    });
  }

  std::optional<NearSet> smallest(const NumaUnit& unit) {
    for (size_t size = 1; size <= order_.size(); ++size) {
      if (std::optional<NearSet> found = nearest_of(size, unit)) return found;
      if (sets_ > kMostSets) break;
    }
    return std::nullopt;
  }

  void take(const NumaUnit& unit, const Members& zones) {
    Members in_order = zones;
    std::sort(in_order.begin(), in_order.end());
    for (const NumaRequest& request : unit.requests) {
      int column = topology_.column(request.resource);
      if (column < 0) continue;
      int64_t left = request.amount;
      for (size_t zone : in_order) {
        std::optional<size_t> from = taken_from(zone);
        if (!from) continue;
        int64_t& have = free_[static_cast<size_t>(column) * topology_.zones.size() + *from];
        int64_t taken = std::clamp<int64_t>(have, 0, left);
        left -= taken;
        if (taken > 0) have -= taken;
      }
    }
  }

 private:
  int64_t cell(ResourceId resource, size_t zone) const {
    int column = topology_.column(resource);
    return column < 0 ? kUnlisted
                      : free_[static_cast<size_t>(column) * topology_.zones.size() + zone];
  }

  // scheduler-plugins uses a zone's id as its index in the list.
  std::optional<size_t> taken_from(size_t zone) const {
    if (rules_ == NumaRules::Kubelet) return zone;
    auto id = static_cast<size_t>(topology_.zones[zone].id);
    return id < order_.size() ? std::optional(order_[id]) : std::nullopt;
  }

  // Of the sets of that size that hold the unit, the nearest.
  std::optional<NearSet> nearest_of(size_t size, const NumaUnit& unit) {
    auto pairs = static_cast<int64_t>(size * size);
    int64_t least = kUnknownCost * pairs;           // of all sets
    int64_t distance = (kUnknownCost + 1) * pairs;  // of the sets that hold the unit
    Members chosen(size);
    std::iota(chosen.begin(), chosen.end(), size_t{0});
    Members zones(size);
    std::optional<NearSet> found;
    do {
      if (++sets_ > kMostSets) return std::nullopt;
      for (size_t i = 0; i < size; ++i) zones[i] = order_[chosen[i]];
      int64_t cost = total_cost(zones);
      least = std::min(least, cost);
      if (cost < distance && holds(unit, zones)) {
        distance = cost;
        found = NearSet{zones, false};
      }
    } while (next_chosen(chosen));
    if (found) found->nearest = distance == least;
    return found;
  }

  // To the next positions in lexicographic order; false: these were the last.
  bool next_chosen(Members& chosen) const {
    size_t size = chosen.size();
    for (size_t i = size; i-- > 0;) {
      if (chosen[i] + (size - i) >= order_.size()) continue;
      std::iota(chosen.begin() + static_cast<std::ptrdiff_t>(i), chosen.end(), chosen[i] + 1);
      return true;
    }
    return false;
  }

  int64_t total_cost(const Members& zones) const {
    int64_t sum = 0;
    for (size_t from : zones) {
      for (size_t to : zones) {
        int32_t cost = topology_.cost(from, to);
        sum += cost == kNoCost ? kUnknownCost : cost;
      }
    }
    return sum;
  }

  // Each zone must list all that is requested.
  bool holds(const NumaUnit& unit, const Members& zones) const {
    return std::all_of(unit.requests.begin(), unit.requests.end(), [&](const NumaRequest& one) {
      int64_t sum = 0;
      for (size_t zone : zones) {
        int64_t have = cell(one.resource, zone);
        if (have < 0) return false;
        sum += have;
      }
      return sum >= one.amount;
    });
  }

  const NumaTopology& topology_;
  NumaRules rules_;
  ZoneCells free_;
  Members order_;
  int64_t sets_ = 0;
};

}  // namespace

int64_t least_numa_score(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules) {
  ZoneSets sets(node, rules);
  size_t most = 0;
  bool nearest = true;
  for (const NumaUnit& unit : units) {
    if (!sets.concerns(unit)) continue;
    std::optional<NearSet> found = sets.smallest(unit);
    if (!found) return 0;
    nearest = nearest && found->nearest;
    most = std::max(most, found->zones.size());
    sets.take(unit, found->zones);
  }
  if (most == 0) return kBest;
  int64_t step = kBest / node.settings.most_zones;
  int64_t score = kBest - static_cast<int64_t>(most) * step + (nearest ? step / 2 : 0);
  return std::max<int64_t>(0, score);
}

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
