// Finds the domains that can hold a gang, best first, and divides a gang inside a domain.
//
// Words: a row's *demand* is a number of equal pods with their counts; rows[0] leads: left-over is
// counted in its pods. *Anchors* are domains where pods of the gang already are; *closeness* of a
// domain is the number of edges it shares with the paths of the anchors, so that among domains of
// one level more closeness is less distance summed over the anchors.
// Order inside a level (docs/design/003-order-of-domains.md): closer to the anchors; then binpack:
// least left over, then fewest child domains used; spread: most left over; then path. Cost: the
// best domain one pass over the counts of the level, and one over the children of the domains that
// tie; all domains of a level O(domains x log domains).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "framework/config.h"
#include "framework/ids.h"
#include "topology/domain_counts.h"
#include "topology/tree.h"

namespace trellis {

struct RowDemand {
  const DomainCounts* counts = nullptr;
  int64_t pods = 0;
};

// Anchors, summed up along their paths.
class Closeness {
 public:
  Closeness() = default;
  Closeness(const TopologyTree& tree, std::span<const DomainId> anchors);
  bool empty() const { return weights_.empty(); }
  int64_t of(const TopologyTree& tree, DomainId domain) const;

 private:
  std::vector<std::pair<DomainId, int64_t>> weights_;  // sorted by domain; root left out
};

struct DomainQuery {
  const TopologyTree* tree = nullptr;
  std::span<const RowDemand> rows;  // at least one
  Strategy strategy = Strategy::Binpack;
  const Closeness* closeness = nullptr;  // nullptr: no anchors
  // Above 0: divide() gives parts as even as the fewest domains allow, in multiples of this.
  int64_t even_unit = 0;
};

struct DomainRank {
  int64_t closeness = 0;
  int64_t left_over = 0;
  int64_t children = 0;  // child domains (or nodes) that the demand needs at the least
  DomainId domain;
};

// The domains of a level inside a scope that can hold a demand, best first. The full list is made
// only when a second domain is requested.
class CandidateDomains {
 public:
  void begin(int level, DomainId scope);

  // REQUIRES: the same query each time, with the same counts.
  std::optional<DomainRank> next(const DomainQuery& query);

  // Domains that were examined since begin().
  int64_t looked_at() const { return looked_at_; }

 private:
  void gather(const DomainQuery& query);
  void rank_ties(const DomainQuery& query);

  int level_ = 0;
  DomainId scope_;
  std::optional<DomainId> first_;  // the domain that was given first
  bool gathered_ = false;
  std::vector<DomainRank> rest_;  // all but the first
  size_t turn_ = 0;               // position in rest_
  size_t ranked_ = 0;             // so many of rest_ are in order, those that tie included
  int64_t looked_at_ = 0;
};

// A part of a divided gang: pods for a domain, or for the nodes that hang on it alone.
struct DomainPart {
  DomainId domain;
  bool own_nodes_only = false;
  int64_t count = 0;  // pods of rows[0] that it can take
  int64_t pods = 0;   // pods that it is given
};

using DomainParts = boost::container::small_vector<DomainPart, 8>;

// Divides the leading row among the domains of `level` inside `domain` (nodes that hang on domains
// above that level are parts of their own): as few parts as possible; the one that takes most
// first, the others by distance to it; the last, smallest part in the tightest domain that holds
// it.
// REQUIRES: `domain` holds the demand.
DomainParts divide(const DomainQuery& query, DomainId domain, int level);

// All parts of `domain` at `level` that can take any pod of any row, the one that takes most of the
// leading row first, the others by distance to it, then by count. `pods` is the count.
DomainParts ordered_parts(const DomainQuery& query, DomainId domain, int level);

}  // namespace trellis
