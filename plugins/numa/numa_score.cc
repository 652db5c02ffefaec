#include "plugins/numa/numa_score.h"

#include <algorithm>
#include <span>

#include "plugins/numa/least_numa.h"

namespace trellis {
namespace {

struct Compared {
  int64_t requested = 0;
  int64_t free = 0;
};

// Quantity.Value() of scheduler-plugins.
int64_t whole_units(ResourceId resource, int64_t amount) {
  bool milli = resource == kCpu || ResourceTable::is_gpu(resource);
  return milli ? (amount + kMilli - 1) / kMilli : amount;
}

int64_t share(const Compared& compared, NumaStrategy strategy) {
  int64_t part = strategy == NumaStrategy::LeastAllocated ? compared.free - compared.requested
                                                          : compared.requested;
  return part * kBestNumaScore / compared.free;
}

// A unit's requests beside the cells that they are to be had from.
class ZoneScore {
 public:
  ZoneScore(const NumaUnit& unit, const NumaNode& node, const NumaOptions& options)
      : options_(options) {
    size_t count = node.topology->zones.size();
    for (const NumaRequest& request : unit.requests) {
      int column = node.topology->column(request.resource);
      const int64_t* cells =
          column < 0 ? nullptr : node.free.data() + static_cast<size_t>(column) * count;
      int64_t weight = options.weight_of(request.resource);
      weights_ += weight;
      requests_.push_back({request.resource, request.amount, weight, cells});
    }
  }

  int64_t of(size_t zone) const {
    return options_.strategy == NumaStrategy::BalancedAllocation ? balanced(zone) : allocated(zone);
  }

 private:
  struct Request {
    ResourceId resource;
    int64_t amount = 0;
    int64_t weight = 1;
    const int64_t* cells = nullptr;  // by zone; null: no zone lists it
  };

  static Compared compare(const Request& request, size_t zone) {
    int64_t free = request.cells == nullptr ? 0 : request.cells[zone];
    return {request.amount, std::max<int64_t>(0, free)};
  }

  Compared rounded(const Request& request, const Compared& compared) const {
    if (options_.rules == NumaRules::Kubelet) return compared;
    return {whole_units(request.resource, compared.requested),
            whole_units(request.resource, compared.free)};
  }

  int64_t allocated(size_t zone) const {
    int64_t sum = 0;
    for (const Request& request : requests_) {
      Compared compared = compare(request, zone);
      if (compared.free == 0 || compared.requested > compared.free) continue;
      sum += share(rounded(request, compared), options_.strategy) * request.weight;
    }
    return weights_ == 0 ? 0 : sum / weights_;
  }

  // One minus the variance of the parts that are taken, over n - 1 of them.
  int64_t balanced(size_t zone) const {
    boost::container::small_vector<double, 8> parts;
    double mean = 0;
    for (const Request& request : requests_) {
      Compared compared = rounded(request, compare(request, zone));
      if (compared.free > 0 && compared.requested > compared.free) return 0;
      double part = compared.free == 0 ? 1.0
                                       : static_cast<double>(compared.requested) /
                                             static_cast<double>(compared.free);
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

  const NumaOptions& options_;
  boost::container::small_vector<Request, 8> requests_;
  int64_t weights_ = 0;
};

// The least above 0; 0 where no zone has one.
int64_t over_zones(const NumaUnit& unit, const NumaNode& node, const NumaOptions& options) {
  ZoneScore score(unit, node, options);
  ZoneMask counted = scored_zones(*node.topology, options.rules);
  int64_t least = 0;
  for (size_t zone = 0; zone < node.topology->zones.size(); ++zone) {
    if ((counted >> zone & 1) == 0) continue;
    int64_t one = score.of(zone);
    if (least == 0 || (one != 0 && one < least)) least = one;
  }
  return least;
}

}  // namespace

int64_t numa_score(const NumaUnits& units, const NumaNode& node, const NumaOptions& options) {
  if (units.qos != Qos::Guaranteed) return kBestNumaScore;
  std::span<const NumaUnit> in_order = units.scored(node.settings.scope);
  if (options.strategy == NumaStrategy::LeastNumaNodes) {
    return least_numa_score(in_order, node, options.rules);
  }
  if (node.settings.policy != NumaPolicy::SingleNode) return 0;
  int64_t sum = 0;
  int64_t counted = 0;
  for (const NumaUnit& unit : in_order) {
    if (unit.requests.empty()) continue;
    sum += over_zones(unit, node, options);
    ++counted;
  }
  return counted == 0 ? kBestNumaScore : sum / counted;
}

}  // namespace trellis
