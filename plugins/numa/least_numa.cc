#include "plugins/numa/least_numa.h"

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

}  // namespace trellis
