// Allocatable pods: for one topology and one pod class, how many pods each domain can take.
//
// The caller passes the count of each node (`fit`, by node); a domain's count is the sum over its
// nodes. Each level also has a bound on its largest count, so that a search skips whole levels.
// Cost: build one pass over nodes and one over domains; a change of one node O(depth); of one
// node's whole segments O(depth) and the children of its domains at the layers above the finest.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "framework/ids.h"
#include "framework/indexed_vector.h"
#include "topology/tree.h"

namespace trellis {

// Consecutive pods of a size that share a domain of a level.
struct SegmentLevel {
  int level = 0;
  int64_t size = 1;  // pods
  bool operator==(const SegmentLevel&) const = default;
};

class DomainCounts {
 public:
  DomainCounts() = default;
  DomainCounts(const TopologyTree& tree, const IndexedVector<NodeId, int32_t>& fit);

  // Counts pods in whole segments: a domain of a layer's level takes whole segments of its size, a
  // domain above takes only what its children take in whole segments; below the finest layer the
  // counts are those of `pods`. Layers go coarse to fine. Cost: one pass over domains.
  DomainCounts(const TopologyTree& tree, const DomainCounts& pods,
               std::span<const SegmentLevel> layers);

  // The count of `node` changed by `delta`. A node outside the tree changes nothing.
  void change(const TopologyTree& tree, NodeId node, int32_t delta);
  // The same for counts in whole segments of these layers: the count of `node` in `pods` changed.
  void follow(const TopologyTree& tree, const DomainCounts& pods,
              std::span<const SegmentLevel> layers, NodeId node);

  int64_t operator[](DomainId domain) const { return counts_[domain]; }
  std::span<const int64_t> counts(IdRange range) const {
    return counts_.span().subspan(range.first, range.size());
  }
  // The least count of the level that is at least `needed`; INT64_MAX when there is none. Cost: one
  // pass over a level of few domains; of a level with more, O(counts between the two), where they
  // are below kTallied, after one pass at the first call.
  int64_t least_at_least(const TopologyTree& tree, int level, int64_t needed) const;
  // The first domain of the level with that count; kNone when there is none. Cost: one pass over a
  // level of few domains; of a level with more, it begins where the last one for this count ended.
  DomainId first_equal(const TopologyTree& tree, int level, int64_t count) const;
  // An upper bound on the counts of the level: tight at the first call; loose after counts fell.
  int64_t level_bound(const TopologyTree& tree, int level) const;
  // Records the largest count, as a full pass over the level has found it.
  void tighten(int level, int64_t largest) const {
    level_bound_[static_cast<size_t>(level + 1)] = largest;
  }

  // Throws BrokenCheck unless every count is the sum over its nodes and every bound holds.
  void check_invariants(const TopologyTree& tree, const IndexedVector<NodeId, int32_t>& fit) const;
  void check_invariants(const TopologyTree& tree, const DomainCounts& pods,
                        std::span<const SegmentLevel> layers) const;

 private:
  static constexpr int64_t kUnknown = -1;
  static constexpr uint32_t kFewDomains = 2'048;
  static constexpr int64_t kTallied = 1'024;

  // The domains of a level that have one count.
  struct Having {
    uint32_t domains = 0;
    uint32_t first = UINT32_MAX;  // no domain before it has the count
  };
  using Tally = std::vector<Having>;  // by count, below kTallied

  void set(const TopologyTree& tree, DomainId domain, int64_t count);
  Tally& tally(const TopologyTree& tree, int level) const;
  // Throws BrokenCheck unless the counts are those of `fresh` and bounds and tallies hold.
  void require_equal(const TopologyTree& tree, const DomainCounts& fresh) const;

  IndexedVector<DomainId, int64_t> counts_;
  mutable std::vector<int64_t> level_bound_;  // by level + 1: the root first
  mutable std::vector<Tally> tallies_;        // the same; empty: not needed yet
};

}  // namespace trellis
