// A score 0..100 of how well a pod fits into a node's zones, by the strategies of
// scheduler-plugins.
//
// A zone is scored by the amounts requested and the amounts free in it. The lowest of the zones'
// scores above 0 counts, because the kubelet chooses the zone. All containers weigh the same. Pods
// that are not Guaranteed score 100; nodes without zones or with a policy other than
// single-numa-node score 0; LeastNumaNodes scores nodes of every policy. By the
// Upstream rules amounts are first rounded up to whole CPUs and GPUs. By both rules, cases where
// scheduler-plugins divides by zero have a score: a container that requests nothing does not count,
// and a single resource is balanced with itself.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "plugins/numa/numa_options.h"
#include "plugins/numa/numa_units.h"
#include "plugins/numa/zone_needs.h"

namespace trellis {

// LeastNUMANodes: the fewer zones the pod's containers need, and the nearer those are, the better.
//
// Each container takes the smallest set of zones that holds it together, of equally small sets the
// nearest by mean cost (an unknown cost counts as 255), and leaves the rest to the next container.
// The score falls with the size of the largest set, and rises by half a step if each set is the
// nearest of its size on the node.
// Cost: the sets of each size up to the size that holds the container, at most kMostSets; a node
// with more sets scores 0.

inline constexpr int64_t kMostSets = 100'000;

int64_t least_numa_score(std::span<const NumaUnit> units, const NumaNode& node, NumaRules rules);

inline constexpr int64_t kBestNumaScore = 100;

int64_t numa_score(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

// The strategies that compare amounts zone by zone, with everything looked up that nodes of one
// form (zone_table.h) have in common.
class AllocationScore {
 public:
  // REQUIRES: a strategy other than LeastNumaNodes. `node.free` is not read.
  AllocationScore(const NumaUnits& units, const NumaNode& node, const NumaOptions& options);

  // REQUIRES: cells of a node of that form. Cost: O(containers x resources x zones).
  int64_t of(std::span<const int64_t> free) const;

 private:
  struct Request {
    ResourceId resource;
    int64_t amount = 0;
    int64_t weight = 1;
    int column = -1;  // -1: no zone lists it
  };
  struct Unit {
    boost::container::small_vector<Request, 4> requests;
    int64_t weights = 0;
  };
  struct Compared {
    int64_t requested = 0;
    int64_t free = 0;
  };

  Compared compare(const Request& request, std::span<const int64_t> free, size_t zone) const;
  int64_t over_zones(const Unit& unit, std::span<const int64_t> free) const;
  int64_t allocated(const Unit& unit, std::span<const int64_t> free, size_t zone) const;
  int64_t balanced(const Unit& unit, std::span<const int64_t> free, size_t zone) const;

  NumaRules rules_;
  NumaStrategy strategy_;
  size_t zones_ = 0;
  ZoneMask counted_ = 0;
  int64_t anyway_ = 0;  // the score, whatever is free, unless there are units
  std::vector<Unit> units_;
};

}  // namespace trellis
