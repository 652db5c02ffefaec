// Finds the domains that can hold a gang, best first, and divides a gang inside a domain.
//
// The order is that of topology/domain_rank.h. Cost: the best domain one pass over the counts of
// the level and, of those that tie, one over the domains around them; all domains of a level
// O(domains x log domains).
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <optional>
#include <vector>

#include "framework/ids.h"
#include "topology/domain_rank.h"

namespace trellis {

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
